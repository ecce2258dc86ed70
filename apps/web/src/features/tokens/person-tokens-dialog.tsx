// A user's API tokens, for administrators: they see the scopes and can revoke each; only the user can create one.
import type { PersonDialogProps } from "#shared/ui/person-dialog.ts";
import { HolderTokensDialog } from "./holder-tokens-dialog.tsx";

export default function PersonTokensDialog({ person, onClose }: PersonDialogProps) {
  return <HolderTokensDialog holder={person} opened onClose={onClose} none="No program acts as this user." />;
}
