// The risk of the sessions that a request would allow, with its reasons, and whether the account's secret works.
import type { AccessRequest } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { Loaded } from "#shared/ui/loaded.tsx";
import { SeverityBadge } from "#shared/ui/status-badge.tsx";
import { VerificationBadge } from "#shared/ui/verification-badge.tsx";
import { requestRisk } from "../access-requests.queries.ts";
import classes from "./request-page.module.css";

export function RequestRisk({ request }: { request: AccessRequest }) {
  const hasAccount = request.account_id !== null;
  const query = useQuery({ ...requestRisk(request.id), enabled: hasAccount });
  if (!hasAccount) return <p className={classes.note}>The risk is known once an account has been assigned.</p>;
  return (
    <Loaded query={query}>
      {({ level, reasons, account_status: status }) => (
        <div className={classes.risk}>
          <p className={classes.riskHead}>
            Risk <SeverityBadge severity={level} />
          </p>
          {reasons.length === 0 ? (
            <p className={classes.note}>An ordinary request: the user has used this account before, at usual hours.</p>
          ) : (
            <ul className={classes.reasons} aria-label="Reasons for the risk">
              {reasons.map((reason) => (
                <li key={reason}>{reason}</li>
              ))}
            </ul>
          )}
          <p className={classes.riskHead}>
            Stored secret <VerificationBadge status={status} />
          </p>
        </div>
      )}
    </Loaded>
  );
}
