// "Account Information", and the connection details of databases.
import { ACCOUNT_DETAILS, ACCOUNT_DETAIL_NAMES, isAccountDatabaseType, type Account } from "@strongroom/contract";
import { Anchor } from "@mantine/core";
import { Link } from "react-router";
import { paths } from "#shared/paths.ts";
import { absoluteTime } from "#shared/format/time.ts";
import { CodeBlock } from "#shared/ui/code-block.tsx";
import { LongFact } from "#shared/ui/detail-page.tsx";
import { Facts, type Fact } from "#shared/ui/facts.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { TagList } from "#shared/ui/tag-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { AccountStatusBadge, RotationBadge } from "../account-badges.tsx";
import classes from "./account-detail-page.module.css";
import { NONE, systemTypeLabel } from "../account-labels.ts";
import { NOT_AVAILABLE, addressOf } from "../read-account.ts";

function factsOf(account: Account): Fact[] {
  return [
    { name: "Status", value: <AccountStatusBadge status={account.status} /> },
    { name: "Rotation", value: <RotationBadge account={account} /> },
    { name: "Username", value: account.username },
    {
      name: "Hostname/IP Address",
      value: (
        <Anchor component={Link} to={paths.host(account.hostname_ip)} fz="inherit">
          {addressOf(account)}
        </Anchor>
      ),
    },
    { name: "System Type", value: systemTypeLabel(account.system_type) },
    { name: "Connection Method", value: account.connection_method },
    ...ACCOUNT_DETAIL_NAMES.map((name) => ({
      name: ACCOUNT_DETAILS[name].label,
      value: account[name] ?? NOT_AVAILABLE,
    })),
    {
      name: "Safe",
      value: (
        <Anchor component={Link} to={`${paths.accounts}?safe=${account.safe_id}`} fz="inherit">
          {account.safe_name}
        </Anchor>
      ),
    },
    { name: "Platform", value: account.platform_name },
    ...(account.tags.length === 0 ? [] : [{ name: "Tags", value: <TagList tags={account.tags} /> }]),
    { name: "Password changed", value: <RelativeTime moment={account.last_rotated_at} /> },
    ...(account.rotation_due_at === null
      ? []
      : [{ name: "Rotation due", value: absoluteTime(account.rotation_due_at) }]),
    { name: "Last accessed", value: <RelativeTime moment={account.last_accessed} /> },
    { name: "Created", value: <RelativeTime moment={account.created_at} /> },
  ];
}

export function AccountInformation({ account }: { account: Account }) {
  const isDatabase = isAccountDatabaseType(account.system_type);
  return (
    <>
      <SectionCard title="Account Information">
        <Facts facts={factsOf(account)} areShort />
        {account.notes !== null && (
          <LongFact name="Notes">
            <p className={classes.notes}>{account.notes}</p>
          </LongFact>
        )}
        {!isDatabase && <AdditionalParameters account={account} />}
      </SectionCard>
      {isDatabase && <DatabaseInformation account={account} />}
    </>
  );
}

function DatabaseInformation({ account }: { account: Account }) {
  return (
    <SectionCard title="Database Configuration">
      <Facts
        facts={[
          { name: "Database Name", value: account.database_name ?? NONE },
          { name: "Schema Name", value: account.schema_name ?? NONE },
          { name: "SSL/TLS", value: account.ssl_enabled ? "Enabled" : "Not enabled" },
        ]}
      />
      {account.connection_string !== null && (
        <LongFact name="Connection String">
          <CodeBlock code={account.connection_string} label="connection string" isWrapped />
        </LongFact>
      )}
      <AdditionalParameters account={account} />
    </SectionCard>
  );
}

function AdditionalParameters({ account }: { account: Account }) {
  if (Object.keys(account.additional_params).length === 0) return null;
  return (
    <LongFact name="Additional Parameters">
      <CodeBlock code={JSON.stringify(account.additional_params, null, 2)} label="additional parameters" isWrapped />
    </LongFact>
  );
}
