// The membership form: the user or group, the role or single permissions, and the expiry.
import { Button, Checkbox, Group, Select, SimpleGrid, Stack, TextInput } from "@mantine/core";
import {
  SAFE_PERMISSION_LABELS,
  SAFE_ROLES,
  SAFE_ROLE_LABELS,
  type SafePermission,
  type SafeRole,
} from "@strongroom/contract";
import { useId } from "react";
import { ChangePreview, type ProposedChange } from "#shared/access-preview/change-preview.tsx";
import { Form } from "#shared/ui/form.tsx";
import type { FormInDialog } from "#shared/ui/form-dialog.tsx";
import {
  checkMember,
  isRoleGrantable,
  localTimeOf,
  withPermission,
  withRole,
  type MemberFormValues,
} from "./member-form-values.ts";
import { PrincipalSelect } from "./principal-select.tsx";
import classes from "../safes.module.css";

const PERMISSION_GROUPS: readonly { label: string; permissions: readonly SafePermission[] }[] = [
  { label: "Access", permissions: ["list", "use", "retrieve", "access_without_confirmation"] },
  {
    label: "Accounts",
    permissions: ["add", "update_properties", "rename", "update_secret", "manage_secret", "delete"],
  },
  { label: "Safe", permissions: ["manage_safe", "manage_members", "view_audit"] },
  { label: "Requests", permissions: ["approve_level_1", "approve_level_2"] },
];

const ROLE_HINTS: Record<SafeRole, string> = {
  owner: "All permissions in this safe.",
  manager: "Manages the accounts and the members.",
  user: "Uses accounts and retrieves their passwords where no approval is required.",
  auditor: "Sees the accounts and their history, but no passwords.",
  approver: "Decides access requests, but sees no passwords.",
  custom: "Only the permissions selected below.",
};

interface Parts {
  /** Whether the form asks for a user or group, which a stored membership cannot change. */
  isNew?: boolean;
  /** The permissions that the caller may grant. */
  may: ReadonlySet<SafePermission>;
  /** The change to preview under "What would change?"; null while the form is incomplete. */
  changeOf: (values: MemberFormValues) => ProposedChange | null;
}

export type MemberFormProps = Parts & FormInDialog<MemberFormValues>;

export function MemberForm({ isNew = false, may, changeOf, ...props }: MemberFormProps) {
  return (
    <Form {...props} check={(values) => checkMember(values, Date.now())}>
      {(form) => (
        <>
          {isNew && (
            <PrincipalSelect
              label="User or group"
              required
              value={form.values.who}
              error={form.errors["who"]}
              onChange={(next) => form.setFieldValue("who", next)}
            />
          )}
          <Select
            label="Role"
            required
            data={SAFE_ROLES.map((value) => ({
              value,
              label: SAFE_ROLE_LABELS[value],
              disabled: !isRoleGrantable(value, may),
            }))}
            allowDeselect={false}
            description={ROLE_HINTS[form.values.role]}
            value={form.values.role}
            onChange={(next) => next !== null && form.setValues(withRole(form.values, next))}
          />
          <Permissions
            chosen={form.values.permissions}
            may={may}
            error={form.errors["permissions"]}
            onToggle={(permission, isGiven) => form.setValues(withPermission(form.values, permission, isGiven))}
          />
          <Expiry
            value={form.values.expires}
            error={form.errors["expires"]}
            onChange={(expires) => form.setFieldValue("expires", expires)}
          />
          <ChangePreview change={changeOf(form.values)} />
        </>
      )}
    </Form>
  );
}

interface PermissionsProps {
  chosen: readonly SafePermission[];
  may: ReadonlySet<SafePermission>;
  error: React.ReactNode;
  onToggle: (permission: SafePermission, isGiven: boolean) => void;
}

function Permissions({ chosen, may, error, onToggle }: PermissionsProps) {
  const isLimited = PERMISSION_GROUPS.some(({ permissions }) => permissions.some((each) => !may.has(each)));
  return (
    <div>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="md">
        {PERMISSION_GROUPS.map(({ label, permissions }) => (
          <PermissionGroup key={label} label={label}>
            {permissions.map((permission) => (
              <Checkbox
                key={permission}
                size="sm"
                label={SAFE_PERMISSION_LABELS[permission]}
                checked={permission === "list" || chosen.includes(permission)}
                // `list` is part of every role.
                disabled={permission === "list" || !may.has(permission)}
                onChange={(event) => onToggle(permission, event.currentTarget.checked)}
              />
            ))}
          </PermissionGroup>
        ))}
      </SimpleGrid>
      {isLimited && <p className={classes.formHint}>You can give only permissions that you have in this safe.</p>}
      {error !== undefined && error !== null && <p className={classes.formError}>{error}</p>}
    </div>
  );
}

function PermissionGroup({ label, children }: { label: string; children: React.ReactNode }) {
  const id = useId();
  return (
    <div role="group" aria-labelledby={id}>
      <p className={classes.groupLabel} id={id}>
        {label}
      </p>
      <Stack gap={6}>{children}</Stack>
    </div>
  );
}

const DAY = 24 * 60 * 60_000;
const PERIODS = [
  { label: "1 day", days: 1 },
  { label: "1 week", days: 7 },
  { label: "30 days", days: 30 },
  { label: "90 days", days: 90 },
];

interface ExpiryProps {
  value: string;
  error: React.ReactNode;
  onChange: (value: string) => void;
}

function Expiry({ value, error, onChange }: ExpiryProps) {
  return (
    <div>
      <TextInput
        type="datetime-local"
        label="Expires"
        description="The membership ends at this time. Empty: never."
        value={value}
        error={error}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <Group gap={6} mt={6}>
        {PERIODS.map(({ label, days }) => (
          <Button
            key={label}
            size="compact-xs"
            variant="default"
            aria-label={`Expires in ${label}`}
            onClick={() => onChange(localTimeOf(Date.now() + days * DAY))}
          >
            {label}
          </Button>
        ))}
        {value !== "" && (
          <Button size="compact-xs" variant="subtle" onClick={() => onChange("")}>
            Never
          </Button>
        )}
      </Group>
    </div>
  );
}
