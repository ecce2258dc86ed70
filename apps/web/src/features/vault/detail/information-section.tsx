// "Credential Information" (VAULT-42): includes the type, and host and port unless the connection section shows them.
import { isDatabaseType, type Credential } from "@strongroom/contract";
import { Facts, type Fact } from "#shared/ui/facts.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { NONE, addressOf, typeLabel } from "../credential-labels.ts";
import { EnvironmentBadge } from "../environment-badge.tsx";

export function informationOf(credential: Credential): Fact[] {
  const address = isDatabaseType(credential.type) ? [] : [{ name: "Host", value: addressOf(credential) ?? NONE }];
  return [
    { name: "Username", value: credential.username ?? NONE },
    { name: "Environment", value: <EnvironmentBadge credential={credential} /> },
    { name: "Status", value: <StatusBadge status={credential.status} /> },
    { name: "Type", value: typeLabel(credential) },
    ...address,
    { name: "Last accessed", value: <RelativeTime moment={credential.last_accessed} /> },
    { name: "Created", value: <RelativeTime moment={credential.created_at} /> },
    { name: "Last updated", value: <RelativeTime moment={credential.updated_at} /> },
  ];
}

export function InformationSection({ credential }: { credential: Credential }) {
  return (
    <SectionCard title="Credential Information">
      <Facts facts={informationOf(credential)} />
    </SectionCard>
  );
}
