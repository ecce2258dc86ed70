// The part of the platform form about rotation: schedule, method and reconcile account.
import { MultiSelect, NativeSelect, Select, SimpleGrid, Textarea } from "@mantine/core";
import type { Platform } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { AccountSelect } from "#shared/ui/account-select.tsx";
import { Choice, Count, Part, type PlatformFormControl } from "./platform-fields.tsx";
import { ReconcileReadiness } from "./reconcile-readiness.tsx";
import { safesToReconcile } from "./platforms.queries.ts";
import classes from "./platforms.module.css";

export function RotationPart({ form, platform }: { form: PlatformFormControl; platform: Platform | null }) {
  return (
    <Part title="Rotation" description="How often passwords are rotated.">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="sm">
        <Count form={form} field="rotate_every_days" label="Rotate every" unit="days" description="Empty: no policy" />
        <Count
          form={form}
          field="rotation_notice_days"
          label="Due soon"
          unit="days before"
          description="When the rotation is shown as due soon"
        />
      </SimpleGrid>
      <Schedule form={form} />
      <Select
        label="New passwords are set by"
        data={[
          { value: "account", label: "The account itself" },
          { value: "reconcile-account", label: "The reconcile account" },
        ]}
        allowDeselect={false}
        {...form.getInputProps("rotate_as")}
      />
      <AccountSelect
        label="Reconcile account"
        description="Resets an account's password when the stored one no longer works."
        placeholder="None. Search accounts"
        clearable
        value={form.values.reconcile_account}
        error={form.errors["reconcile_account"]}
        onChange={(found) => form.setFieldValue("reconcile_account", found)}
      />
      {form.values.reconcile_account !== null && <Reach form={form} />}
      {platform !== null && form.values.reconcile_account?.value === platform.reconcile_account_id && (
        <ReconcileReadiness platform={platform} />
      )}
    </Part>
  );
}

/** The hosts and safes where the reconcile account may be used. */
function Reach({ form }: { form: PlatformFormControl }) {
  const { data } = useQuery(safesToReconcile);
  return (
    <>
      <Textarea
        label="Hosts that the reconcile account can log in to"
        description="Besides its own host, one per line: a name, *.example.com, or a network such as 10.0.0.0/8. Its password is sent to no other host."
        rows={3}
        resize="vertical"
        spellCheck={false}
        classNames={{ input: classes.code }}
        {...form.getInputProps("reconcile_hosts")}
      />
      <MultiSelect
        label="Safes whose accounts it can reconcile"
        description="Besides its own safe. Anyone who can add accounts to these safes chooses whose passwords it sets."
        data={(data?.safes ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        searchable
        clearable
        nothingFoundMessage={data === undefined ? "Loading..." : "No matching safe"}
        {...form.getInputProps("reconcile_safe_ids")}
      />
    </>
  );
}

/** The hours of a day for the rotation window. */
const HOURS = [
  { value: "", label: "Any time" },
  ...Array.from({ length: 24 }, (_, hour) => ({ value: String(hour), label: `${String(hour).padStart(2, "0")}:00` })),
];

/** The schedule of automatic rotation. */
function Schedule({ form }: { form: PlatformFormControl }) {
  const isOff = !form.values.rotate_automatically;
  return (
    <>
      <Choice
        form={form}
        field="rotate_automatically"
        label="Automatic rotation"
        description="Rotates due passwords automatically."
      />
      <SimpleGrid className={classes.numbers} cols={{ base: 2, sm: 3 }} spacing="md" verticalSpacing="sm">
        <NativeSelect label="From (UTC)" data={HOURS} disabled={isOff} {...form.getInputProps("window_from")} />
        <NativeSelect label="To (UTC)" data={HOURS} disabled={isOff} {...form.getInputProps("window_to")} />
        <Count form={form} field="rotation_jitter_minutes" label="Spread over" unit="minutes" isDisabled={isOff} />
      </SimpleGrid>
    </>
  );
}
