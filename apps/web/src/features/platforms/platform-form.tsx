// The platform form: its system, and the policy of its accounts in four parts.
import { Select, SimpleGrid, Stack, TextInput, Textarea } from "@mantine/core";
import {
  CONNECTION_METHODS,
  SYSTEM_TYPES,
  USUAL_METHODS,
  canRotateOn,
  type Platform,
  type SystemType,
} from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { ChangePreview, type ProposedChange } from "#shared/access-preview/change-preview.tsx";
import { isCallError } from "#shared/api/call-error.ts";
import { duration } from "#shared/format/time.ts";
import { Form } from "#shared/ui/form.tsx";
import type { FormInDialog } from "#shared/ui/form-dialog.tsx";
import { platformCapabilities } from "./platforms.queries.ts";
import { PasswordExample } from "./password-example.tsx";
import { Choice, Count, Part, type PlatformFormControl } from "./platform-fields.tsx";
import {
  approvalsChange,
  checkPlatform,
  fieldAt,
  isField,
  rulesOf,
  type PlatformFormErrors,
  type PlatformFormValues,
} from "./platform-form-values.ts";
import { RotationPart } from "./platform-rotation-part.tsx";
import { SessionPart } from "./platform-session-part.tsx";
import { ONE_TIME_UNSUPPORTED, systemLabel } from "./platform-labels.ts";
import classes from "./platforms.module.css";

export interface PlatformFormProps extends FormInDialog<PlatformFormValues> {
  /** The stored platform; null for a new one. */
  platform?: Platform | null;
}

type FormControl = PlatformFormControl;

/** The server's validation errors by form field. */
function objectionsIn(error: unknown): PlatformFormErrors {
  if (!isCallError(error)) return {};
  const found = error.errors.map(({ path, msg }) => [fieldAt(path.replace(/^body\./, "").split(".")), msg] as const);
  return Object.fromEntries(found.filter(([field]) => isField(field)));
}

export default function PlatformForm({ platform = null, ...props }: PlatformFormProps) {
  return (
    <Form {...props} check={checkPlatform} objectionsIn={objectionsIn}>
      {(form) => (
        <>
          <About form={form} />
          <Verification form={form} />
          <RotationPart form={form} platform={platform} />
          <Rules form={form} />
          <Lending form={form} />
          <SessionPart form={form} />
          {platform !== null && <Preview change={approvalsChange(platform, form.values)} />}
        </>
      )}
    </Form>
  );
}

const Preview = ({ change }: { change: ProposedChange | null }) => change !== null && <ChangePreview change={change} />;

const SYSTEMS = SYSTEM_TYPES.map((value) => ({ value, label: systemLabel(value) }));

function About({ form }: { form: FormControl }) {
  const { system_type: system, connection_method: connection } = form.values;
  function chooseSystem(next: SystemType): void {
    // Replaces the default connection method, but keeps one that the user chose.
    if (connection === USUAL_METHODS[system]) form.setFieldValue("connection_method", USUAL_METHODS[next]);
    form.setFieldValue("system_type", next);
  }
  return (
    <Stack gap="sm">
      <TextInput label="Name" required maxLength={100} data-autofocus {...form.getInputProps("name")} />
      <Textarea label="Description" rows={2} maxLength={500} {...form.getInputProps("description")} />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="sm">
        <Select
          label="System Type"
          required
          data={SYSTEMS}
          allowDeselect={false}
          searchable
          {...form.getInputProps("system_type")}
          onChange={(next) => next !== null && chooseSystem(next as SystemType)}
        />
        <Select
          label="Connection Method"
          required
          data={[...CONNECTION_METHODS]}
          allowDeselect={false}
          {...form.getInputProps("connection_method")}
        />
      </SimpleGrid>
      <Choice form={form} field="is_active" label="Active" description="New accounts can use this platform." />
    </Stack>
  );
}

function Verification({ form }: { form: FormControl }) {
  return (
    <Part title="Verification" description="How often stored passwords are verified by logging in.">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="sm">
        <Count
          form={form}
          field="verify_every_hours"
          label="Verify every"
          unit="hours"
          description="Leave empty to verify only on request"
        />
      </SimpleGrid>
    </Part>
  );
}

function Rules({ form }: { form: FormControl }) {
  return (
    <Part title="Password Rules" description="Rules for new passwords. The limits of the target take precedence.">
      <SimpleGrid className={classes.numbers} cols={{ base: 2, sm: 3 }} spacing="md" verticalSpacing="sm">
        <Count form={form} field="length" label="Length" />
        <Count form={form} field="max_length" label="Maximum on the target" />
        <Count form={form} field="history" label="Disallow the previous" unit="passwords" />
      </SimpleGrid>
      <SimpleGrid className={classes.numbers} cols={{ base: 2, sm: 4 }} spacing="md" verticalSpacing="sm">
        <Count form={form} field="min_lowercase" label="Minimum lowercase" />
        <Count form={form} field="min_uppercase" label="Minimum uppercase" />
        <Count form={form} field="min_digits" label="Minimum digits" />
        <Count form={form} field="min_symbols" label="Minimum symbols" />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="sm">
        <TextInput
          label="Symbols"
          description="Symbols that passwords can contain"
          maxLength={64}
          spellCheck={false}
          autoComplete="off"
          classNames={{ input: classes.code }}
          {...form.getInputProps("symbols")}
        />
        <TextInput
          label="Forbidden characters"
          description="Such as easily confused ones: 0O1lI"
          maxLength={100}
          spellCheck={false}
          autoComplete="off"
          classNames={{ input: classes.code }}
          {...form.getInputProps("forbidden_characters")}
        />
      </SimpleGrid>
      <Choice
        form={form}
        field="begins_with_letter"
        label="Begins with a letter"
        description="Required by some systems."
      />
      <PasswordExample rules={rulesOf(form.values)} />
    </Part>
  );
}

/** Disabled where the setting has no effect, except to switch it off. */
function OneTimePassword({ form }: { form: FormControl }) {
  const { data } = useQuery(platformCapabilities);
  const { system_type, connection_method, reconcile_account, one_time_password: isOn } = form.values;
  const platform = {
    system_type,
    connection_method,
    reconcile_account_id: (reconcile_account?.value ?? null) as Platform["reconcile_account_id"],
  };
  const isSupported = data === undefined || canRotateOn(data.capabilities, platform);
  return (
    <Choice
      form={form}
      field="one_time_password"
      label="One-time password"
      description={isSupported ? "Each password is retrieved once, then rotated." : ONE_TIME_UNSUPPORTED}
      isDisabled={!isSupported && !isOn}
    />
  );
}

const ACCESS_UNTIL_ROTATED = [
  { value: "blocked", label: "Blocked" },
  { value: "allowed", label: "Allowed" },
];

function Lending({ form }: { form: FormControl }) {
  const needsApproval = Number(form.values.approvals_level_1) > 0;
  const isRotatedAfterUse = form.values.rotate_after_check_in;
  return (
    <Part title="Access" description="Requirements and time limits for access to accounts.">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="sm">
        <Count
          form={form}
          field="approvals_level_1"
          label="Approvals at level 1"
          unit="people"
          description="0: no approval needed"
        />
        <Count
          form={form}
          field="approvals_level_2"
          label="Approvals at level 2"
          unit="people"
          description="After level 1, by other people"
        />
        <Count
          form={form}
          field="default_duration_minutes"
          label="Default duration"
          unit="minutes"
          description={inWords(form.values.default_duration_minutes)}
        />
        <Count
          form={form}
          field="max_duration_minutes"
          label="Maximum duration"
          unit="minutes"
          description={inWords(form.values.max_duration_minutes)}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="sm">
        <Choice
          form={form}
          field="approve_extensions"
          label="Approve extensions"
          description="Extending access requires approval again."
          isDisabled={!needsApproval}
        />
        <Choice
          form={form}
          field="exclusive_check_out"
          label="One person at a time"
          description="Others wait until it is checked in."
        />
        <Choice
          form={form}
          field="rotate_after_check_in"
          label="Rotate after use"
          description="Rotate a retrieved password when the check-out or grant ends."
        />
        <OneTimePassword form={form} />
        <Choice
          form={form}
          field="reason_required"
          label="Reason required"
          description="Users must give a reason for access."
        />
        <Choice
          form={form}
          field="ticket_required"
          label="Ticket required"
          description="Users must enter a ticket for access."
        />
      </SimpleGrid>
      <Select
        label="Access until the password is rotated"
        description={
          form.values.access_until_rotated === "blocked"
            ? 'The account shows "Rotating" and cannot be checked out until the new password is verified.'
            : "The account can be checked out again. The rotation waits until all access has ended."
        }
        data={ACCESS_UNTIL_ROTATED}
        allowDeselect={false}
        disabled={!isRotatedAfterUse}
        inputWrapperOrder={["label", "input", "error", "description"]}
        {...form.getInputProps("access_until_rotated")}
      />
    </Part>
  );
}

/** Formats minutes as hours and minutes, from an hour up. */
function inWords(minutes: string): string {
  const count = Number(minutes);
  return count >= 60 ? duration(count * 60) : "\u00a0";
}
