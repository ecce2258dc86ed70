// "Security Finding Details": the place of a secret, its risk, how to fix it, and its history (FIND-03).
import { Button, Group, Stack, Textarea } from "@mantine/core";
import { FRAMEWORK_NAMES, opensAccount, placeName } from "@strongroom/contract";
import type { FindingFix, FindingId, SecurityFinding, SecurityFindingDetails } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { absoluteTime } from "#shared/format/time.ts";
import { paths } from "#shared/paths.ts";
import { DialogButtons } from "#shared/ui/dialog-buttons.tsx";
import { Facts } from "#shared/ui/facts.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { Modal, type DialogProps } from "#shared/ui/modal.tsx";
import { SeverityBadge, StatusBadge } from "#shared/ui/status-badge.tsx";
import { toast } from "#shared/ui/toast.ts";
import { AssignDialog } from "./assign-dialog.tsx";
import { FIX_BADGES, LIVENESS_LABELS, STATUS_BADGES, TYPE_LABELS, changeText, placeFacts } from "./finding-labels.ts";
import classes from "./findings.module.css";
import { commentCreation, findingDetails, vaultingUndo } from "./findings.queries.ts";
import { RuleDialog } from "./rule-dialog.tsx";
import { StatusDialog } from "./status-dialog.tsx";
import { VaultDialog, type LoginFormValues } from "./vault-dialog.tsx";
import { VerifyDialog } from "./verify-dialog.tsx";

interface FindingDetailsProps extends DialogProps {
  id: FindingId;
  /** Shown while the details are loading. */
  finding: SecurityFinding | undefined;
}

export function FindingDetails({ id, finding: listed, ...props }: FindingDetailsProps) {
  const query = useQuery({ ...findingDetails(id), enabled: props.opened });
  const finding = query.data ?? listed;
  return (
    <>
      <Modal {...props} title="Security Finding Details" size="xl">
        <Stack gap="md">
          {finding !== undefined && (
            <>
              <Group gap="xs">
                <strong>{finding.title}</strong>
                <SeverityBadge severity={finding.severity} />
                <StatusBadge {...STATUS_BADGES[finding.status]} />
              </Group>
              <p className={classes.sentence}>{finding.description}</p>
            </>
          )}
          <Loaded query={query} failureText="Failed to load the finding">
            {(details) => <Details details={details} />}
          </Loaded>
          {finding?.can_manage === true && <Actions finding={finding} />}
        </Stack>
      </Modal>
    </>
  );
}

function Actions({ finding }: { finding: SecurityFinding }) {
  const [dialog, setDialog] = useState<"assign" | "rule" | "status" | "vault" | "verify" | null>(null);
  const [login, setLogin] = useState<LoginFormValues | null>(null);
  const propsOf = (name: typeof dialog) => ({ opened: dialog === name, onClose: () => setDialog(null) });
  const hasLogin = opensAccount(finding.class, finding.finding_data.file_path);
  return (
    <>
      <DialogButtons>
        <Button variant="default" onClick={() => setDialog("rule")}>
          Add Rule
        </Button>
        <Button variant="default" onClick={() => setDialog("assign")}>
          Assign
        </Button>
        {hasLogin && (
          <Button variant="default" onClick={() => setDialog("verify")}>
            Verify
          </Button>
        )}
        {hasLogin && !finding.auto_vaulted && (
          <Button variant="default" onClick={() => setDialog("vault")}>
            Vault
          </Button>
        )}
        <Button onClick={() => setDialog("status")}>Change Status</Button>
      </DialogButtons>
      <AssignDialog finding={finding} {...propsOf("assign")} />
      <RuleDialog finding={finding} {...propsOf("rule")} />
      <StatusDialog findings={[finding]} {...propsOf("status")} />
      <VaultDialog findings={[finding]} login={login} {...propsOf("vault")} />
      <VerifyDialog finding={finding} onLive={setLogin} {...propsOf("verify")} />
    </>
  );
}

function Details({ details }: { details: SecurityFindingDetails }) {
  const { finding_data: place, file } = details;
  const hasLogin = opensAccount(details.class, place.file_path);
  const timeOf = (moment: string | null) => (moment === null ? "–" : absoluteTime(moment));
  return (
    <>
      <Facts
        facts={[
          { name: "Type", value: TYPE_LABELS[details.finding_type] },
          { name: "Risk score", value: details.risk_score },
          { name: "Target", value: targetOf(details) },
          ...placeFacts(place, file),
          { name: "Secret", value: place.preview },
          { name: "Setting", value: place.key_name ?? "–" },
          { name: "User name", value: place.username ?? "–" },
          { name: "Matched by", value: place.pattern_matched },
          ...(hasLogin ? [{ name: "Does it work", value: LIVENESS_LABELS[details.liveness] }] : []),
          { name: "Targets with this secret", value: details.reused_on.toLocaleString() },
          { name: "Assignee", value: details.assignee?.name ?? "None" },
          { name: "Due", value: timeOf(details.due_at) },
          { name: "Found", value: timeOf(details.created_at) },
          { name: "Last seen", value: timeOf(details.last_seen_at) },
        ]}
      />
      {details.fix !== null && <Fix finding={details} fix={details.fix} />}
      {details.context.length > 0 && (
        <section>
          <h3 className={classes.heading}>Context</h3>
          <pre className={classes.context}>
            {details.context.map(({ line, text }) => (
              <div key={line}>
                <span className={classes.number}>{line}</span>
                {text}
              </div>
            ))}
          </pre>
        </section>
      )}
      <section>
        <h3 className={classes.heading}>How the Risk Score Adds Up</h3>
        <Facts
          facts={details.risk_factors.map(({ factor, points }) => ({
            name: factor,
            value: points > 0 ? `+${points}` : points,
          }))}
        />
      </section>
      <section>
        <h3 className={classes.heading}>How to Fix It</h3>
        <ol className={classes.list}>
          {details.remediation_steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      </section>
      <section>
        <h3 className={classes.heading}>Compliance Impact</h3>
        {details.compliance_impact.length === 0 ? (
          <p className={classes.sentence}>None</p>
        ) : (
          <ul className={classes.list}>
            {details.compliance_impact.map(({ framework, control, text }) => (
              <li key={framework}>
                <strong>{`${FRAMEWORK_NAMES[framework]} ${control}`}</strong> {text}
              </li>
            ))}
          </ul>
        )}
      </section>
      {details.same_secret.length > 0 && (
        <section>
          <h3 className={classes.heading}>The same secret is also here</h3>
          <ul className={classes.list}>
            {details.same_secret.map(({ id, target_name, file_path }) => (
              <li key={id}>{`${target_name}: ${placeName(file_path)}`}</li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h3 className={classes.heading}>History</h3>
        <ul className={classes.list}>
          {details.history.map((change) => (
            <li key={`${change.kind} ${change.id}`}>
              {`${absoluteTime(change.at)} · ${change.by} · ${changeText(change)}`}
              {change.reason !== null && <div>{change.reason}</div>}
            </li>
          ))}
        </ul>
        {details.can_manage && <CommentField finding={details} />}
      </section>
    </>
  );
}

const targetOf = ({ target_name: name, hostname }: SecurityFinding): string =>
  name === hostname ? name : `${name} (${hostname})`;

interface FixProps {
  finding: SecurityFindingDetails;
  fix: FindingFix;
}

/** The steps of vaulting, with the progress of the rotation and of the file's update. */
function Fix({ finding, fix }: FixProps) {
  const { mutate, isPending } = useMutation(vaultingUndo(useQueryClient(), finding.id));
  return (
    <section>
      <h3 className={classes.heading}>Vaulting</h3>
      <Stack gap="xs">
        <Group gap="xs">
          <StatusBadge {...FIX_BADGES[fix.state]} />
          <span>{fix.message}</span>
        </Group>
        {finding.account_id !== null && <Link to={paths.account(finding.account_id)}>Open the account</Link>}
        {finding.can_manage && fix.can_undo && (
          <Group>
            <Button
              variant="default"
              loading={isPending}
              onClick={() =>
                mutate(undefined, {
                  onSuccess: () => toast.success("Vaulting undone"),
                  onError: (error) => toast.error(messageOf(error), { title: "Failed to undo vaulting" }),
                })
              }
            >
              Undo
            </Button>
          </Group>
        )}
      </Stack>
    </section>
  );
}

function CommentField({ finding }: { finding: SecurityFindingDetails }) {
  const [text, setText] = useState("");
  const { mutate, isPending } = useMutation(commentCreation(useQueryClient(), finding.id));
  return (
    <Stack gap="xs" mt="sm">
      <Textarea
        label="Comment"
        maxLength={4000}
        rows={2}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Group justify="end">
        <Button
          variant="default"
          disabled={text.trim() === ""}
          loading={isPending}
          onClick={() =>
            mutate(text, {
              onSuccess: () => setText(""),
              onError: (error) => toast.error(messageOf(error), { title: "Failed to add the comment" }),
            })
          }
        >
          Add Comment
        </Button>
      </Group>
    </Stack>
  );
}
