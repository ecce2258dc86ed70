// The seal and the keys: the seal provider, and key rotation without downtime.
import { Button } from "@mantine/core";
import { IconKey, IconRefresh } from "@tabler/icons-react";
import type { KeyFacts } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ConfirmActionDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { Facts } from "#shared/ui/facts.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import classes from "#shared/ui/admin-console.module.css";
import { SealCard } from "./seal-card.tsx";
import { keyFacts, rootKeyReplacement, signingKeyReplacement } from "./system.queries.ts";

export default function KeysTab() {
  const keys = useQuery(keyFacts);
  return (
    <div className={classes.cards}>
      <SealCard />
      <SectionCard
        title="Root Key"
        description="Wraps every key-encryption key. Replacing it does not change stored secrets"
      >
        <Loaded query={keys}>{(facts) => <RootKey facts={facts} />}</Loaded>
      </SectionCard>
      <SectionCard title="Signing Key" description="Signs sign-in tokens. Replaced automatically every 90 days">
        <Loaded query={keys}>{(facts) => <SigningKey facts={facts} />}</Loaded>
      </SectionCard>
    </div>
  );
}

function RootKey({ facts }: { facts: KeyFacts }) {
  const [isAsking, setIsAsking] = useState(false);
  const client = useQueryClient();
  return (
    <>
      <Facts
        facts={[
          { name: "Root key", value: <span className={classes.mono}>{facts.root_key_id}</span> },
          { name: "Active since", value: <RelativeTime moment={facts.root_key_since} /> },
          { name: "Wrapped keys", value: facts.keys.toLocaleString() },
        ]}
      />
      {facts.problem !== null && <p className={classes.error}>{facts.problem}</p>}
      {facts.rekey_obstacle === null ? (
        <Button
          mt="md"
          variant="default"
          leftSection={<IconKey size={16} aria-hidden />}
          onClick={() => setIsAsking(true)}
        >
          Replace the Root Key
        </Button>
      ) : (
        <p className={classes.note}>{facts.rekey_obstacle}</p>
      )}
      <ConfirmActionDialog
        opened={isAsking}
        title="Replace the Root Key"
        confirmLabel="Replace"
        variant="warning"
        mutation={rootKeyReplacement(client)}
        done="Root key replaced"
        failed="Failed to replace the root key"
        onClose={() => setIsAsking(false)}
      >
        A new key file replaces the current one, which is kept next to it under another name. Copy the new key file to
        your key storage: the old one only opens backups made before now.
      </ConfirmActionDialog>
    </>
  );
}

function SigningKey({ facts }: { facts: KeyFacts }) {
  const [isAsking, setIsAsking] = useState(false);
  const client = useQueryClient();
  return (
    <>
      <Facts facts={[{ name: "Active since", value: <RelativeTime moment={facts.signing_key_since} /> }]} />
      <Button
        mt="md"
        variant="default"
        leftSection={<IconRefresh size={16} aria-hidden />}
        onClick={() => setIsAsking(true)}
      >
        Replace the Signing Key
      </Button>
      <ConfirmActionDialog
        opened={isAsking}
        title="Replace the Signing Key"
        confirmLabel="Replace"
        variant="info"
        mutation={signingKeyReplacement(client)}
        done="Signing key replaced"
        failed="Failed to replace the signing key"
        onClose={() => setIsAsking(false)}
      >
        New tokens are signed with the new key. Users stay signed in: tokens signed with the old key stay valid until
        they expire.
      </ConfirmActionDialog>
    </>
  );
}
