// The requirements of a platform for access: approvals, available approvers, reason, ticket, maximum duration.
import { duration } from "#shared/format/time.ts";
import { counted } from "#shared/format/text.ts";
import { toneStyle } from "#shared/ui/tone.ts";
import classes from "../list/jit-access-page.module.css";
import type { PickedResource } from "./resource-picker.tsx";

export function PlatformRequirements({ picked }: { picked: PickedResource }) {
  const { resource, text } = picked;
  if (resource === null) {
    if (text.trim() === "") return null;
    return (
      <div className={classes.demand} style={toneStyle("neutral")} role="status">
        <p>Not selected from the list: an administrator will assign an account.</p>
      </div>
    );
  }
  const isClosed = resource.approvals.some(({ needed, eligible }) => eligible < needed);
  return (
    <div className={classes.demand} style={toneStyle(isClosed ? "warning" : "info")} role="status">
      {resource.approvals.length === 0 && <p>No approval needed: access is granted at once.</p>}
      {resource.approvals.map(({ level, needed, eligible }) => (
        <p key={level}>
          Level {level}: {counted(needed, "approval")} needed,{" "}
          {eligible === 0 ? "but no approver is available" : `${counted(eligible, "person", "people")} can approve`}.
        </p>
      ))}
      {isClosed && <p>The request waits until there are enough approvers.</p>}
      <p>At most {duration(resource.max_duration_minutes * 60)}.</p>
    </div>
  );
}
