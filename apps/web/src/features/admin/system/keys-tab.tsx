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
import classes from "../admin-page.module.css";
import { SealCard } from "./seal-card.tsx";
import { keyFacts, rootKeyReplacement, signingKeyReplacement } from "./system.queries.ts";

export default function KeysTab() {
  const keys = useQuery(keyFacts);
  return (
    <div className={classes.cards}>
      <SealCard />
      <SectionCard title="Root key" description="Wraps every key-encryption key; replacing it touches no stored secret">
        <Loaded query={keys}>{(facts) => <RootKey facts={facts} />}</Loaded>
      </SectionCard>
      <SectionCard title="Signing key" description="Signs sign-in tokens; replaced by itself every 90 days">
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
          { name: "In force", value: <RelativeTime moment={facts.root_key_since} /> },
          { name: "Keys that it wraps", value: facts.keys.toLocaleString() },
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
          Replace the root key
        </Button>
      ) : (
        <p className={classes.note}>{facts.rekey_obstacle}</p>
      )}
      <ConfirmActionDialog
        opened={isAsking}
        title="Replace the root key"
        confirmLabel="Replace"
        variant="warning"
        mutation={rootKeyReplacement(client)}
        done="The root key is replaced"
        failed="Failed to replace the root key"
        onClose={() => setIsAsking(false)}
      >
        A new key file takes the place of the old one, which stays beside it under its own name. Copy the new one to
        where you keep keys: your copy of the old one only opens backups from before now.
      </ConfirmActionDialog>
    </>
  );
}

function SigningKey({ facts }: { facts: KeyFacts }) {
  const [isAsking, setIsAsking] = useState(false);
  const client = useQueryClient();
  return (
    <>
      <Facts facts={[{ name: "In use", value: <RelativeTime moment={facts.signing_key_since} /> }]} />
      <Button
        mt="md"
        variant="default"
        leftSection={<IconRefresh size={16} aria-hidden />}
        onClick={() => setIsAsking(true)}
      >
        Replace the signing key
      </Button>
      <ConfirmActionDialog
        opened={isAsking}
        title="Replace the signing key"
        confirmLabel="Replace"
        variant="info"
        mutation={signingKeyReplacement(client)}
        done="The signing key is replaced"
        failed="Failed to replace the signing key"
        onClose={() => setIsAsking(false)}
      >
        New tokens are signed with a new key. Nobody is signed out: what the old key signed is good for as long as it
        would have been.
      </ConfirmActionDialog>
    </>
  );
}
