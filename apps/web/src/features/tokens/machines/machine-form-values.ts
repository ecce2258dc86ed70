// Values, validation and request body of the machine identity form.
import type { MachineIdentity, Role } from "@strongroom/contract";
import {
  ROLES,
  createMachine,
  type GroupId,
  type InputOf,
  type UserId,
  type updateMachine,
} from "@strongroom/contract";
import { firstObjections } from "#shared/api/field-errors.ts";
import { capitalised } from "#shared/format/text.ts";
import type { Found } from "#shared/ui/search-select.tsx";

export interface MachineFormValues {
  name: string;
  description: string;
  role: Role;
  /** `user:…` or `group:…`. */
  responsible: Found | null;
}

export const EMPTY_MACHINE: MachineFormValues = { name: "", description: "", role: "user", responsible: null };

export const userValue = (id: string): string => `user:${id}`;
export const groupValue = (id: string): string => `group:${id}`;

export function formOf({ name, description, role, responsible }: MachineIdentity): MachineFormValues {
  const value =
    responsible?.group_id == null ? userValue(responsible?.user_id ?? "") : groupValue(responsible.group_id);
  return {
    name,
    description: description ?? "",
    role,
    responsible: responsible === null ? null : { value, label: responsible.name },
  };
}

type MachineFields = NonNullable<InputOf<typeof updateMachine>["body"]> & { role: Role };

export function machineOf({ name, description, role, responsible }: MachineFormValues): MachineFields {
  const [kind, id] = responsible?.value.split(":", 2) ?? [];
  const who =
    kind === "group"
      ? { responsible_group_id: id as GroupId }
      : kind === "user"
        ? { responsible_user_id: id as UserId }
        : {};
  return { name, description, role, ...who };
}

export function fieldAt(path: string): keyof MachineFormValues | undefined {
  if (path.startsWith("responsible")) return "responsible";
  return Object.hasOwn(EMPTY_MACHINE, path) ? (path as keyof MachineFormValues) : undefined;
}

/** Returns the errors by field; empty when the values are valid. */
export const checkMachine = (values: MachineFormValues): Partial<Record<keyof MachineFormValues, string>> =>
  firstObjections(createMachine.body!, machineOf(values), ([field]) => fieldAt(String(field)) ?? "name");

export const ROLE_CHOICES = ROLES.map((value) => ({ value, label: capitalised(value) }));
