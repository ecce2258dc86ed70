// The type of a dialog about one person. The app passes such dialogs to pages, because features do not import each other.
import type { User } from "@strongroom/contract";
import type { ComponentType } from "react";

export interface PersonDialogProps {
  person: Pick<User, "id" | "name">;
  onClose: () => void;
}

export type PersonDialog = ComponentType<PersonDialogProps>;
