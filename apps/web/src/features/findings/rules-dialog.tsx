// "False-Positive Rules": the rules of the targets that the user can see, with their review dates.
import { Button } from "@mantine/core";
import { IconFilterOff } from "@tabler/icons-react";
import type { FindingRule } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { absoluteTime } from "#shared/format/time.ts";
import { DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { Modal, type DialogProps } from "#shared/ui/modal.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { findingRules, ruleDeletion } from "./findings.queries.ts";

const KINDS: Record<FindingRule["kind"], string> = { path: "Path", secret: "Same secret", class: "Class" };

const nameOfRule = ({ kind, pattern }: FindingRule): string =>
  pattern === null ? KINDS[kind] : `${KINDS[kind]}: ${pattern}`;

export function RulesDialog(props: DialogProps) {
  const query = useQuery({ ...findingRules, enabled: props.opened });
  const [deleted, setDeleted] = useState<FindingRule | null>(null);
  return (
    <>
      <Modal {...props} title="False-Positive Rules" size="lg" isShort>
        <Loaded query={query} failureText="Failed to load the rules">
          {({ data }) =>
            data.length === 0 ? (
              <EmptyState icon={IconFilterOff} title="No rules" text="Add a rule from the details of a finding." />
            ) : (
              <RowList label="False-positive rules">
                {data.map((rule) => (
                  <Row
                    key={rule.id}
                    name={nameOfRule(rule)}
                    actions={
                      rule.can_manage && (
                        <Button
                          size="compact-sm"
                          variant="default"
                          aria-label={`Delete the rule ${nameOfRule(rule)}`}
                          onClick={() => setDeleted(rule)}
                        >
                          Delete
                        </Button>
                      )
                    }
                  >
                    <RowDetail>{rule.reason}</RowDetail>
                    <RowDetail>{`Until ${absoluteTime(rule.review_at)} · ${rule.created_by}`}</RowDetail>
                  </Row>
                ))}
              </RowList>
            )
          }
        </Loaded>
      </Modal>
      {deleted !== null && <DeleteRule rule={deleted} onClose={() => setDeleted(null)} />}
    </>
  );
}

function DeleteRule({ rule, onClose }: { rule: FindingRule; onClose: () => void }) {
  return (
    <DeleteDialog
      opened
      onClose={onClose}
      title="Delete Rule"
      mutation={ruleDeletion(useQueryClient(), rule.id)}
      done={({ message }) => message}
      failed="Failed to delete the rule"
    >
      <p>
        Delete the rule <strong>{nameOfRule(rule)}</strong>? The findings that it suppressed are new again.
      </p>
    </DeleteDialog>
  );
}
