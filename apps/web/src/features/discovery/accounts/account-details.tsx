// "Account Details" of a discovered account: everything that the system reported, and what changed.
import { Anchor } from "@mantine/core";
import type { DiscoveredAccount } from "@strongroom/contract";
import { Link } from "react-router";
import { paths } from "#shared/paths.ts";
import { absoluteTime } from "#shared/format/time.ts";
import { Facts } from "#shared/ui/facts.tsx";
import { Modal, type DialogProps } from "#shared/ui/modal.tsx";
import { ACCOUNT_BADGES, factLabel, factText } from "../discovery-labels.ts";
import classes from "../discovery.module.css";
import { PrivilegeSection } from "../privileges/privilege-section.tsx";
import { OnboardingJournal } from "../onboarding/onboarding-journal.tsx";

export function AccountDetails({ account, ...props }: DialogProps & { account: DiscoveredAccount }) {
  const { discovery_metadata: known } = account;
  const timeOf = (moment: string | null, none = "Unknown") => (moment === null ? none : absoluteTime(moment));
  const decision =
    account.decided_by === null
      ? account.status === "active"
        ? "A safe contained this account when it was found"
        : "None yet"
      : `${ACCOUNT_BADGES[account.status].label} by ${account.decided_by}, ${timeOf(account.decided_at)}`;
  return (
    <Modal {...props} title="Account Details" size="lg">
      <Facts
        facts={[
          { name: "Account", value: account.account_name },
          { name: "Host", value: account.hostname_ip },
          { name: "Status", value: ACCOUNT_BADGES[account.status].label },
          { name: "Decision", value: decision },
          { name: "Privileged", value: factText(known.is_privileged) },
          { name: "Locked", value: factText(known.is_locked) },
          {
            name: "In a safe",
            value:
              account.account_id === null ? (
                factText(account.is_managed)
              ) : (
                <Anchor component={Link} to={paths.account(account.account_id)}>
                  Open the account
                </Anchor>
              ),
          },
          { name: "First found", value: timeOf(account.discovered_at) },
          { name: "Last found", value: timeOf(account.last_seen_at) },
          { name: "No longer found since", value: timeOf(account.missing_since, "–") },
          { name: "Last login", value: timeOf(known.last_login_at) },
          { name: "Password changed", value: timeOf(known.password_changed_at) },
          { name: "Expires", value: timeOf(known.expires_at, "Never") },
        ]}
      />
      <PrivilegeSection account={account} />
      {account.onboarding !== null && <OnboardingJournal of={account.onboarding} />}
      <h3 className={classes.heading}>Reported by the System</h3>
      <Facts
        facts={Object.entries(known.facts).map(([name, value]) => ({ name: factLabel(name), value: factText(value) }))}
      />
      {known.dependents.length > 0 && (
        <>
          <h3 className={classes.heading}>Uses of the Account on This System</h3>
          <Facts
            facts={known.dependents.map(({ kind, name, detail }) => ({
              name: `${factLabel(kind)}: ${name}`,
              value: detail ?? "–",
            }))}
          />
        </>
      )}
      {known.changes.length > 0 && (
        <>
          <h3 className={classes.heading}>Latest Changes</h3>
          <Facts
            facts={known.changes.map(({ field, from, to }) => ({
              name: factLabel(field),
              value: `${factText(from)} → ${factText(to)}`,
            }))}
          />
        </>
      )}
    </Modal>
  );
}
