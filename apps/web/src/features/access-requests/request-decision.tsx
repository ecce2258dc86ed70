// Approve or Deny, with a comment, right where somebody is told of an access request. Gone once it is not theirs to decide.
import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { oneRequest } from "./access-requests.queries.ts";
import { CommentForm } from "./decision-dialogs.tsx";
import classes from "./request-decision.module.css";

export default function RequestDecision({ id }: { id: string }) {
  const { data: request } = useQuery(oneRequest(id));
  const [act, setAct] = useState<"approve" | "deny" | null>(null);
  if (request === undefined) return null;
  // Once begun it stays until it is answered, also when the answer is that somebody else was faster.
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
