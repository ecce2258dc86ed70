// "Rules": the ordered rules for discovered accounts, with their order, state and dry run.
import { ActionIcon, Button, Group } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from "@tabler/icons-react";
import type { OnboardingRule } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { ConfirmActionDialog, DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { Modal, type DialogProps } from "#shared/ui/modal.tsx";
import { NoRows, Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { toast } from "#shared/ui/toast.ts";
import { conditionsOf, effectOf } from "../discovery-labels.ts";
import classes from "../discovery.module.css";
import { ruleDeletion, ruleList, ruleMove, ruleSwitch } from "../discovery.queries.ts";
import { NewRuleDialog } from "./new-rule-dialog.tsx";

export function RulesDialog(props: DialogProps) {
  const rules = useQuery({ ...ruleList, enabled: props.opened });
  const [isCreating, setIsCreating] = useState(false);
  return (
    <>
      <Modal {...props} opened={props.opened && !isCreating} title="Rules for Discovered Accounts" size="lg" isShort>
        <p className={classes.sentence}>
          Rules belong to a safe and apply to the accounts of its targets, in their order. Rules that approve or reject
          act after each scan, and only while they are enabled.
        </p>
        <Group my="sm">
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setIsCreating(true)}>
            Add Rule
          </Button>
        </Group>
        <Loaded query={rules}>
          {({ data }) =>
            data.length === 0 ? (
              <NoRows>No rules</NoRows>
            ) : (
              <RowList label="Rules">
                {data.map((rule, index) => (
                  <RuleRow
                    key={rule.id}
                    rule={rule}
                    isFirst={data[index - 1]?.safe_id !== rule.safe_id}
                    isLast={data[index + 1]?.safe_id !== rule.safe_id}
                  />
                ))}
              </RowList>
            )
          }
        </Loaded>
      </Modal>
      <NewRuleDialog opened={isCreating} onClose={() => setIsCreating(false)} />
    </>
  );
}

interface RuleRowProps {
  rule: OnboardingRule;
  isFirst: boolean;
  isLast: boolean;
}

function RuleRow({ rule, isFirst, isLast }: RuleRowProps) {
  const client = useQueryClient();
  const [asking, setAsking] = useState<"enable" | "delete" | null>(null);
  const onError = (error: Error) => toast.error(messageOf(error), { title: "Failed to change the rule" });
  const { mutate: move } = useMutation(ruleMove(client, rule.id));
  const { mutate: disable } = useMutation(ruleSwitch(client, rule.id, false));
  const close = () => setAsking(null);
  return (
    <Row
      isOver={!rule.is_enabled}
      name={
        <>
          <span>{rule.name}</span>
          <StatusBadge {...(rule.is_enabled ? ENABLED : DISABLED)} />
        </>
      }
      actions={
        rule.can_manage && (
          <>
            <ActionIcon
              variant="default"
              aria-label={`Move ${rule.name} up`}
              disabled={isFirst}
              onClick={() => move("up", { onError })}
            >
              <IconArrowUp size={15} aria-hidden />
            </ActionIcon>
            <ActionIcon
              variant="default"
              aria-label={`Move ${rule.name} down`}
              disabled={isLast}
              onClick={() => move("down", { onError })}
            >
              <IconArrowDown size={15} aria-hidden />
            </ActionIcon>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`${rule.is_enabled ? "Disable" : "Enable"} ${rule.name}`}
              onClick={() => (rule.is_enabled ? disable(undefined, { onError }) : setAsking("enable"))}
            >
              {rule.is_enabled ? "Disable" : "Enable"}
            </Button>
            <ActionIcon
              variant="light"
              color="red"
              aria-label={`Delete ${rule.name}`}
              onClick={() => setAsking("delete")}
            >
              <IconTrash size={15} aria-hidden />
            </ActionIcon>
          </>
        )
      }
    >
      <RowDetail>{`${rule.safe_name}: ${conditionsOf(rule)}`}</RowDetail>
      <RowDetail>{effectOf(rule)}</RowDetail>
      <RowDetail>{`Acts for ${rule.acts_for}`}</RowDetail>
      <ConfirmActionDialog
        opened={asking === "enable"}
        title="Enable Rule"
        confirmLabel="Enable"
        mutation={ruleSwitch(client, rule.id, true)}
        done={`"${rule.name}" enabled`}
        failed="Failed to enable the rule"
        onClose={close}
        isOnTop
      >
        From now on, <strong>{rule.name}</strong> acts with your permissions after each scan.
      </ConfirmActionDialog>
      <DeleteDialog
        opened={asking === "delete"}
        title="Delete Rule"
        mutation={ruleDeletion(client, rule.id)}
        done={({ message }) => message}
        failed="Failed to delete the rule"
        onClose={close}
        isOnTop
      >
        Delete <strong>{rule.name}</strong>? Earlier decisions of the rule stay.
      </DeleteDialog>
    </Row>
  );
}

const ENABLED = { status: "active", label: "Enabled" } as const;
const DISABLED = { status: "inactive", label: "Disabled" } as const;
