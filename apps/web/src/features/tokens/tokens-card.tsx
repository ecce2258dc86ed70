// The user's own API tokens, and those of the machine identities that the user is responsible for.
import { Button } from "@mantine/core";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Loaded } from "#shared/ui/loaded.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { TokenDialog } from "./token-dialog.tsx";
import { TokenRows } from "./token-rows.tsx";
import { tokensOf } from "./tokens.queries.ts";

export function TokensCard() {
  const tokens = useQuery(tokensOf("own"));
  const [isMaking, setIsMaking] = useState(false);
  return (
    <SectionCard
      title="API Tokens"
      description="Let programs act as you. A token never has more permissions than you have, and it always expires."
      actions={
        tokens.data !== undefined && (
          <Button
            variant="default"
            size="compact-md"
            leftSection={<IconPlus size={15} aria-hidden />}
            onClick={() => setIsMaking(true)}
          >
            Create Token
          </Button>
        )
      }
    >
      <Loaded query={tokens} loadingText="Loading your tokens...">
        {({ data, choices }) => (
          <>
            {data.length === 0 ? (
              <EmptyState icon={IconKey} title="No API tokens" text="Create one for a script or a pipeline." />
            ) : (
              <TokenRows tokens={data} label="Your API tokens" />
            )}
            <TokenDialog holder="own" choices={choices} opened={isMaking} onClose={() => setIsMaking(false)} />
          </>
        )}
      </Loaded>
    </SectionCard>
  );
}
