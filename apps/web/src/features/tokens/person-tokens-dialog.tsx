// The API tokens of a person, for administrators: they see what each may do and revoke it; only the person makes one.
import type { User } from "@strongroom/contract";
import { HolderTokensDialog } from "./holder-tokens-dialog.tsx";

export interface PersonTokensDialogProps {
  person: Pick<User, "id" | "name">;
  onClose: () => void;
}

export default function PersonTokensDialog({ person, onClose }: PersonTokensDialogProps) {
  return <HolderTokensDialog holder={person} opened onClose={onClose} none="No program acts in their name." />;
}
