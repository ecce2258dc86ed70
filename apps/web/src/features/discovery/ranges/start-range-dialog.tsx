// The form that starts a scan of address ranges.
import { Switch, TextInput, Textarea } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { fieldErrorsOf } from "#shared/api/field-errors.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { AccountSelect } from "#shared/ui/account-select.tsx";
import { Form } from "#shared/ui/form.tsx";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import type { DialogProps } from "#shared/ui/modal.tsx";
import { SearchSelect } from "#shared/ui/search-select.tsx";
import classes from "../discovery.module.css";
import { safesFound, safesToAddTo } from "../discovery.queries.ts";
import { EMPTY_RANGE, checkRange, newRangeOf, type RangeFormValues } from "./range-form-values.ts";
import { allowedNetworks, rangeStart } from "./ranges.queries.ts";

const isRanges = (path: string): path is "ranges" => path === "ranges";

export function StartRangeDialog(props: DialogProps) {
  const { mutateAsync: start } = useMutation(rangeStart(useQueryClient()));
  const networks = useQuery({ ...allowedNetworks, enabled: props.opened });
  const allowed = networks.data?.data.map(({ network }) => network) ?? [];
  return (
    <FormDialog
      {...props}
      title="Scan IP Range"
      size="lg"
      initial={EMPTY_RANGE}
      submitLabel="Start Scan"
      failureText="Failed to start IP range scan"
      save={(values: RangeFormValues) => start(newRangeOf(values))}
      done="IP range scan started successfully"
    >
      {(dialog) => (
        <Form {...dialog} check={checkRange} objectionsIn={(error) => fieldErrorsOf(error, isRanges)}>
          {(form) => (
            <>
              <TextInput label="Name" required maxLength={100} data-autofocus {...form.getInputProps("name")} />
              <SearchSelect
                label="Safe"
                required
                description="Its members see the scan and the hosts that it finds."
                placeholder="Search safes"
                value={form.values.safe}
                onChange={(safe) => form.setFieldValue("safe", safe)}
                error={form.errors["safe"]}
                search={safesFound}
                foundIn={safesToAddTo}
                nothingFound="No safe to which you may add accounts"
              />
              <Textarea
                label="Ranges"
                required
                rows={2}
                maxLength={10_000}
                description={
                  allowed.length === 0
                    ? "Networks, addresses and spans, such as 10.0.0.0/24. An administrator has to allow networks first."
                    : `Networks, addresses and spans, such as 10.0.0.0/24, at most 65,536 addresses. Allowed: ${allowed.join(", ")}.`
                }
                {...form.getInputProps("ranges")}
              />
              <Textarea label="Exclusions" rows={1} maxLength={10_000} {...form.getInputProps("exclusions")} />
              <TextInput label="Ports" required maxLength={300} {...form.getInputProps("ports")} />
              <TextInput
                label="Connections per second"
                inputMode="numeric"
                maxLength={4}
                {...form.getInputProps("rate")}
              />
              <TextInput
                label="Timeout of each connection (milliseconds)"
                inputMode="numeric"
                maxLength={5}
                {...form.getInputProps("timeout")}
              />
              <p className={classes.sentence}>
                Found hosts become targets with one click when you choose a credential for their type.
              </p>
              {(
                [
                  ["linux", "Credential for SSH hosts"],
                  ["database", "Credential for databases"],
                  ["directory", "Credential for directories"],
                ] as const
              ).map(([field, label]) => (
                <AccountSelect
                  key={field}
                  label={label}
                  clearable
                  placeholder="None"
                  failureToast="Failed to load credentials"
                  value={form.values[field]}
                  onChange={(found) => form.setFieldValue(field, found)}
                />
              ))}
              <Switch
                label="Create targets automatically"
                description="Every host with a matching service becomes a target. Scans of it send the credential there."
                {...form.getInputProps("createsTargets", { type: "checkbox" })}
              />
            </>
          )}
        </Form>
      )}
    </FormDialog>
  );
}
