// Approve and Deny buttons with a comment inside a notification; hidden when the user can no longer decide.
import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { oneRequest } from "../access-requests.queries.ts";
import { CommentForm } from "./decision-dialogs.tsx";
import { useNow } from "#shared/format/now.ts";
import classes from "./request-decision.module.css";
import { decisionSummary } from "../request-labels.ts";

export default function RequestDecision({ id }: { id: string }) {
  const { data: request } = useQuery(oneRequest(id));
  const [act, setAct] = useState<"approve" | "deny" | null>(null);
  const now = useNow();
  if (request === undefined) return null;
  // An opened form stays until the call is answered, even if another approver decides first.
  if (act !== null) {
    return (
      <div className={classes.decision}>
        <CommentForm act={act} request={request} onClose={() => setAct(null)} />
      </div>
    );
  }
  if (!request.can.includes("deny")) return null;
  return (
    <div className={classes.decision}>
      <p className={classes.reason}>{request.business_justification}</p>
      <p className={classes.reason}>{decisionSummary(request, now)}</p>
      <Group gap="xs">
        {request.can.includes("approve") && (
          <Button size="compact-sm" onClick={() => setAct("approve")}>
            Approve
          </Button>
        )}
        <Button size="compact-sm" color="red" variant="light" onClick={() => setAct("deny")}>
          Deny
        </Button>
      </Group>
    </div>
  );
}
