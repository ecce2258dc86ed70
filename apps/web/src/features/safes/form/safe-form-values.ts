// Values, validation and payload of the safe form.
import {
  NewSafe,
  type AccessLevel,
  type InputOf,
  type Safe,
  type SafeStatus,
  type SafeType,
  type updateSafe,
} from "@strongroom/contract";
import type { z } from "zod";
import { firstObjections } from "#shared/api/field-errors.ts";
import type { ProposedChange } from "#shared/access-preview/change-preview.tsx";
import type { Found } from "#shared/ui/search-select.tsx";

export interface SafeFormValues {
  name: string;
  description: string;
  safe_type: SafeType;
  access_level: AccessLevel;
  status: SafeStatus;
  /** Empty: every gateway. */
  session_zone: string;
  tags: string[];
  /** Null for a new safe: its creator becomes the owner. */
  owner: Found | null;
}

export const EMPTY_SAFE: SafeFormValues = {
  name: "",
  description: "",
  safe_type: "standard",
  access_level: "private",
  status: "active",
  session_zone: "",
  tags: [],
  owner: null,
};

export const formOf = (safe: Safe): SafeFormValues => ({
  name: safe.name,
  description: safe.description ?? "",
  safe_type: safe.safe_type,
  access_level: safe.access_level,
  status: safe.status,
  session_zone: safe.session_zone ?? "",
  tags: safe.tags,
  owner: { value: safe.owner_id, label: safe.owner_name, hint: safe.owner_email },
});

const zoneOf = (text: string): string | null => (text.trim() === "" ? null : text.trim());

/** SAFE-12. */
export const newPayloadOf = ({
  name,
  description,
  safe_type,
  access_level,
  session_zone,
  tags,
}: SafeFormValues): z.input<typeof NewSafe> => ({
  name,
  description,
  safe_type,
  access_level,
  ...(zoneOf(session_zone) === null ? {} : { session_zone: zoneOf(session_zone) }),
  ...(tags.length === 0 ? {} : { tags }),
});

/** SAFE-13: always name and description, other fields only when changed. */
export function editPayloadOf(values: SafeFormValues, before: Safe): NonNullable<InputOf<typeof updateSafe>["body"]> {
  const { name, description, safe_type, access_level, status, session_zone, tags, owner } = values;
  return {
    name,
    description,
    ...(safe_type === before.safe_type ? {} : { safe_type }),
    ...(access_level === before.access_level ? {} : { access_level }),
    ...(status === before.status ? {} : { status }),
    ...(zoneOf(session_zone) === before.session_zone ? {} : { session_zone: zoneOf(session_zone) }),
    ...(tags.join() === before.tags.join() ? {} : { tags }),
    ...(owner === null || owner.value === before.owner_id ? {} : { owner_id: owner.value }),
  };
}

/** The access change to preview before saving, apart from a new owner; null without one. */
export function changeOf(values: SafeFormValues, before: Safe): ProposedChange | null {
  const { access_level, status } = editPayloadOf(values, before);
  if (access_level === undefined && status === undefined) return null;
  return {
    kind: "safe-changed",
    safe_id: before.id,
    ...(access_level === undefined ? {} : { access_level }),
    ...(status === undefined ? {} : { status }),
  };
}

export type SafeFormErrors = Partial<Record<keyof SafeFormValues, string>>;

/** An empty result means the form is valid. */
export const checkForm = (values: SafeFormValues): SafeFormErrors => firstObjections(NewSafe, newPayloadOf(values));

export const isField = (path: string): path is keyof SafeFormValues => Object.hasOwn(EMPTY_SAFE, path);
