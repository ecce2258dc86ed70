// A user's API tokens, for administrators: they see the scopes and can revoke each; only the user can create one.
import type { User } from "@strongroom/contract";
import { HolderTokensDialog } from "./holder-tokens-dialog.tsx";

export interface PersonTokensDialogProps {
  person: Pick<User, "id" | "name">;
  onClose: () => void;
}

export default function PersonTokensDialog({ person, onClose }: PersonTokensDialogProps) {
  return <HolderTokensDialog holder={person} opened onClose={onClose} none="No program acts as this user." />;
}
