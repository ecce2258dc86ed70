// The API tokens of one user or machine identity, each with a button that revokes it.
import type { UserId } from "@strongroom/contract";
import { IconKey } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Loaded } from "#shared/ui/loaded.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { TokenRows } from "./token-rows.tsx";
import { tokensOf } from "./tokens.queries.ts";

export interface HolderTokensDialogProps {
  holder: { id: UserId; name: string };
  opened: boolean;
  onClose: () => void;
  /** Shown when the list is empty. */
  none: string;
  /** Shown below the tokens. */
  children?: ReactNode;
}

export function HolderTokensDialog({ holder, opened, onClose, none, children }: HolderTokensDialogProps) {
  const tokens = useQuery({ ...tokensOf(holder.id), enabled: opened });
  return (
    <Modal opened={opened} onClose={onClose} title={`Tokens of ${holder.name}`} size="lg" isShort>
      <Loaded query={tokens} loadingText="Loading the tokens...">
        {({ data }) => (
          <>
            {data.length === 0 ? (
              <EmptyState icon={IconKey} title="No API tokens" text={none} />
            ) : (
              <TokenRows tokens={data} label={`Tokens of ${holder.name}`} />
            )}
            {children}
          </>
        )}
      </Loaded>
    </Modal>
  );
}
