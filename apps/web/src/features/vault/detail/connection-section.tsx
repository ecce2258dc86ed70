// "Connection Information" of a database credential (VAULT-43, VAULT-44).
import { isDatabaseType, type Credential } from "@strongroom/contract";
import { CodeBlock } from "#shared/ui/code-block.tsx";
import { LongFact } from "#shared/ui/detail-page.tsx";
import { Facts } from "#shared/ui/facts.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { NONE } from "../credential-labels.ts";

/** Renders nothing for other types: their host and port are in the information section. */
export function ConnectionSection({ credential }: { credential: Credential }) {
  if (!isDatabaseType(credential.type)) return null;
  const hasParams = Object.keys(credential.additional_params).length > 0;
  return (
    <SectionCard title="Connection Information">
      <Facts
        facts={[
          { name: "Host", value: credential.host ?? NONE },
          { name: "Port", value: credential.port ?? NONE },
          { name: "Database name", value: credential.database_name ?? NONE },
          { name: "Schema", value: credential.schema_name ?? NONE },
          { name: "SSL enabled", value: credential.ssl_enabled ? "Yes" : "No" },
        ]}
      />
      <Long name="Connection string" code={credential.connection_string} />
      <Long
        name="Additional parameters"
        code={hasParams ? JSON.stringify(credential.additional_params, null, 2) : null}
      />
    </SectionCard>
  );
}

/** A long value on a separate line, with a copy button. */
function Long({ name, code }: { name: string; code: string | null }) {
  return (
    <LongFact name={name}>
      {code === null ? NONE : <CodeBlock code={code} label={name.toLowerCase()} isWrapped />}
    </LongFact>
  );
}
