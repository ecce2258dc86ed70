// The form of a new API token: name, scopes, safes, networks and lifetime.
import { MultiSelect, Radio, Select, Stack, Switch, TextInput, Textarea } from "@mantine/core";
import type { TokenList } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { isCallError } from "#shared/api/call-error.ts";
import { Form, type FormProps } from "#shared/ui/form.tsx";
import { SCOPE_SET_LABELS, warningOf, wordsOf } from "./scope-labels.ts";
import { PRESETS, checkToken, emptyToken, fieldAt, livesUpTo, type TokenFormValues } from "./token-form-values.ts";
import classes from "./tokens.module.css";
import { safeChoices } from "./tokens.queries.ts";

export type TokenFormProps = Pick<FormProps<TokenFormValues>, "onCancel" | "onSubmit"> & {
  choices: TokenList["choices"];
};

function objectionsIn(error: unknown): Partial<Record<keyof TokenFormValues, string>> {
  if (!isCallError(error)) return {};
  const known = error.errors.flatMap(({ path, msg }) => {
    const field = fieldAt(path.split(".")[0] ?? "");
    return field === undefined ? [] : [[field, msg] as const];
  });
  return Object.fromEntries(known);
}

export function TokenForm({ choices, onCancel, onSubmit }: TokenFormProps) {
  const safes = useQuery(safeChoices);
  const safeData = safes.data?.safes.map(({ id, name }) => ({ value: id, label: name })) ?? [];
  return (
    <Form
      initial={emptyToken(choices.most_days)}
      check={checkToken}
      objectionsIn={objectionsIn}
      submitLabel="Create Token"
      failureText="Failed to create the token"
      onCancel={onCancel}
      onSubmit={onSubmit}
    >
      {(form) => (
        <>
          <TextInput
            label="Name"
            description="Helps you recognise the token later"
            required
            maxLength={100}
            data-autofocus
            {...form.getInputProps("name")}
          />
          <Radio.Group label="Permissions" required {...form.getInputProps("preset")}>
            <Stack gap="xs" mt="xs">
              {PRESETS.map((preset) => (
                <Radio
                  key={preset}
                  value={preset}
                  label={SCOPE_SET_LABELS[preset].label}
                  description={SCOPE_SET_LABELS[preset].hint}
                />
              ))}
              <Radio value="chosen" label="Custom" description="Choose individual scopes" />
            </Stack>
          </Radio.Group>
          {form.values.preset === "chosen" && (
            <MultiSelect
              label="Scopes"
              description={warningOf(form.values.scopes)}
              classNames={{ inputField: classes.inPills }}
              searchable
              clearable
              hidePickedOptions
              nothingFoundMessage="No such scope"
              placeholder={form.values.scopes.length === 0 ? "Search" : ""}
              data={choices.scopes.map((scope) => ({ value: scope, label: wordsOf(scope) }))}
              {...form.getInputProps("scopes")}
            />
          )}
          <Switch
            label="Limit to specific safes"
            description="The token cannot access anything else, including your personal vault"
            {...form.getInputProps("is_limited", { type: "checkbox" })}
          />
          {form.values.is_limited && (
            <MultiSelect
              label="Safes"
              classNames={{ inputField: classes.inPills }}
              searchable
              clearable
              hidePickedOptions
              nothingFoundMessage={safes.isPending ? "Loading..." : "No such safe"}
              data={safeData}
              {...form.getInputProps("safe_ids")}
            />
          )}
          <Select
            label="Expires after"
            allowDeselect={false}
            data={livesUpTo(choices.most_days)}
            maw="14rem"
            {...form.getInputProps("days")}
          />
          <Textarea
            label="Allowed networks"
            description="One per line, such as 10.0.0.0/8. Leave empty to allow any network"
            rows={2}
            {...form.getInputProps("networks")}
          />
        </>
      )}
    </Form>
  );
}
