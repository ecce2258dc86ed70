// Values, validation and labels of the group form.
import { NewGroup, type Group, type GroupKind } from "@strongroom/contract";
import { firstObjections } from "#shared/api/field-errors.ts";

export interface GroupFormValues {
  name: string;
  description: string;
  kind: GroupKind;
  may_break_glass: boolean;
}

export const EMPTY_GROUP: GroupFormValues = { name: "", description: "", kind: "group", may_break_glass: false };

export const formOf = ({ name, description, kind, may_break_glass }: Group): GroupFormValues => ({
  name,
  description: description ?? "",
  kind,
  may_break_glass,
});

/** An empty result means the form is valid. */
export const checkGroup = (values: GroupFormValues): Partial<Record<keyof GroupFormValues, string>> =>
  firstObjections(NewGroup, values);

export const isField = (path: string): path is keyof GroupFormValues => Object.hasOwn(EMPTY_GROUP, path);

export const KIND_LABELS: Record<GroupKind, string> = { group: "Group", team: "Team", department: "Department" };

export const KIND_HINTS: Record<GroupKind, string> = {
  group: "Adding the group to a safe gives all its members access.",
  team: "Its members also see each other's safes with the access level Team and can request access to them.",
  department:
    "Its members also see each other's safes with the access level Department and can request access to them.",
};

export const BREAK_GLASS_HINT =
  "In an emergency, its members can access anything they can see by giving a reason, without waiting for approval. " +
  "Every approver is notified immediately, and the access is reviewed afterwards.";
