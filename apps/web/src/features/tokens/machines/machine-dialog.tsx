// "Create machine identity" and "Edit machine identity".
import { Select, TextInput, Textarea } from "@mantine/core";
import { IconUser, IconUsersGroup } from "@tabler/icons-react";
import type { MachineIdentity, ReplyOf, findPrincipals } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { isCallError } from "#shared/api/call-error.ts";
import { Form } from "#shared/ui/form.tsx";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import type { DialogProps } from "#shared/ui/modal.tsx";
import { SearchSelect, twoLetters, type Found } from "#shared/ui/search-select.tsx";
import {
  EMPTY_MACHINE,
  ROLE_CHOICES,
  checkMachine,
  fieldAt,
  formOf,
  groupValue,
  machineOf,
  userValue,
  type MachineFormValues,
} from "./machine-form-values.ts";
import { principalsFound, refreshTokens, saveMachine } from "../tokens.queries.ts";

const ICON_SIZE = 16;

/** Excludes machine identities, which cannot be responsible for others. */
const foundIn = ({ principals }: ReplyOf<typeof findPrincipals>): Found[] =>
  principals
    .filter(({ is_machine }) => !is_machine)
    .map(({ user_id: userId, group_id: groupId, name, hint }) =>
      groupId === null
        ? {
            value: userValue(userId ?? ""),
            label: name,
            hint: hint ?? undefined,
            icon: <IconUser size={ICON_SIZE} aria-hidden />,
          }
        : {
            value: groupValue(groupId),
            label: name,
            hint: "Group",
            icon: <IconUsersGroup size={ICON_SIZE} aria-hidden />,
          },
    );

function objectionsIn(error: unknown): Partial<Record<keyof MachineFormValues, string>> {
  if (!isCallError(error)) return {};
  const known = error.errors.flatMap(({ path, msg }) => {
    const field = fieldAt(path);
    return field === undefined ? [] : [[field, msg] as const];
  });
  return Object.fromEntries(known);
}

export interface MachineDialogProps extends DialogProps {
  /** Null for a new machine identity. */
  machine: MachineIdentity | null;
}

export function MachineDialog({ machine, ...props }: MachineDialogProps) {
  const client = useQueryClient();
  const isNew = machine === null;
  return (
    <FormDialog
      {...props}
      title={isNew ? "Create Machine Identity" : "Edit Machine Identity"}
      initial={isNew ? EMPTY_MACHINE : formOf(machine)}
      submitLabel={isNew ? "Create" : "Save Changes"}
      failureText="Failed to save the machine identity"
      save={async (values) => {
        try {
          await saveMachine(machine, machineOf(values));
        } finally {
          await refreshTokens(client);
        }
      }}
      done={isNew ? "Machine identity created" : "Machine identity saved"}
    >
      {(given) => (
        <Form {...given} check={checkMachine} objectionsIn={objectionsIn}>
          {(form) => (
            <>
              <TextInput
                label="Name"
                description="For example, the name of a build server"
                required
                maxLength={60}
                data-autofocus
                {...form.getInputProps("name")}
              />
              <Textarea label="Description" rows={2} maxLength={500} {...form.getInputProps("description")} />
              <Select
                label="Role"
                description="Limits what its tokens can do. It can never decide access requests"
                required
                allowDeselect={false}
                data={ROLE_CHOICES}
                {...form.getInputProps("role")}
              />
              <SearchSelect
                label="Responsible person or group"
                description="Can see and revoke its tokens"
                placeholder="Search people and groups"
                missingIn={twoLetters}
                required
                value={form.values.responsible}
                onChange={(found) => form.setFieldValue("responsible", found)}
                error={form.errors["responsible"]}
                search={principalsFound}
                foundIn={foundIn}
              />
            </>
          )}
        </Form>
      )}
    </FormDialog>
  );
}
