// The empty state of the vault's list (VAULT-21 to VAULT-23).
import { Button } from "@mantine/core";
import { IconKey, IconSearchOff } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { EmptyState } from "#shared/ui/states.tsx";

export interface NoCredentialsProps {
  /** Whether a search or type filter is set, so that other credentials may exist. */
  isNarrowed: boolean;
  onClear: () => void;
  addButton: ReactNode;
}

export function NoCredentials({ isNarrowed, onClear, addButton }: NoCredentialsProps) {
  if (isNarrowed) {
    return (
      <EmptyState
        title="No credentials found"
        text="Try adjusting your search terms"
        icon={IconSearchOff}
        action={
          <Button variant="default" onClick={onClear}>
            Clear search and filter
          </Button>
        }
      />
    );
  }
  return (
    <EmptyState
      title="No credentials found"
      text="Get started by adding your first credential"
      icon={IconKey}
      action={addButton}
    />
  );
}
