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
  group: "Its people become members of safes together.",
  team: "Its people also see each other's safes whose access level is Team, and may ask for access there.",
  department: "Its people also see each other's safes whose access level is Department, and may ask for access there.",
};

export const BREAK_GLASS_HINT =
  "In an emergency its people open, with a written reason and without waiting for an approval, what they can see. " +
  "Every approver hears of it at once, and somebody reviews it afterwards.";
