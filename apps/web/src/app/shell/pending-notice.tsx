// Shows that the account is waiting for activation, and which pages work until then.
import { IconHourglass } from "@tabler/icons-react";
import classes from "./pending-notice.module.css";

export function PendingNotice() {
  return (
    <p className={classes.notice} role="status">
      <IconHourglass size={16} aria-hidden />
      <span>
        <b>Your account is waiting for activation.</b> Administrators have been notified. Until one of them activates
        it, you can use your profile and your personal vault.
      </span>
    </p>
  );
}
