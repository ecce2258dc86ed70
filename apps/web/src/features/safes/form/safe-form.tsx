// The form of "Create New Safe" and "Edit Safe".
import { Select, SimpleGrid, TextInput, Textarea } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { ACCESS_LEVELS, SAFE_STATUSES, SAFE_TYPES } from "@strongroom/contract";
import { useEffect, useRef } from "react";
import { ChangePreview, type ProposedChange } from "#shared/access-preview/change-preview.tsx";
import { fieldErrorsOf } from "#shared/api/field-errors.ts";
import { Form } from "#shared/ui/form.tsx";
import { TagsField } from "#shared/ui/tags-field.tsx";
import type { FormInDialog } from "#shared/ui/form-dialog.tsx";
import { PrincipalSelect } from "../members/principal-select.tsx";
import { checkForm, isField, type SafeFormValues } from "./safe-form-values.ts";
import { ACCESS_HINTS, ACCESS_LABELS, STATUS_BADGES, STATUS_HINTS, TYPE_LABELS } from "../safe-labels.ts";

interface Parts {
  /** Only an existing safe has a status. */
  hasStatus?: boolean;
  /** Whether the caller may transfer the safe to another owner. */
  canChangeOwner?: boolean;
  /** For an existing safe: the access change to preview before saving; null when there is none. */
  changeOf?: (values: SafeFormValues) => ProposedChange | null;
}

export type SafeFormProps = Parts & FormInDialog<SafeFormValues>;

const choices = <T extends string>(values: readonly T[], label: (value: T) => string) =>
  values.map((value) => ({ value, label: label(value) }));
const TYPES = choices(SAFE_TYPES, (type) => TYPE_LABELS[type]);
const LEVELS = choices(ACCESS_LEVELS, (level) => ACCESS_LABELS[level]);
const STATUSES = choices(SAFE_STATUSES, (status) => STATUS_BADGES[status].label);
const MOST_NAME = 100;
const MOST_DESCRIPTION = 500;

export default function SafeForm({ hasStatus, canChangeOwner, changeOf, ...props }: SafeFormProps) {
  return (
    <Form {...props} check={checkForm} objectionsIn={(error) => fieldErrorsOf(error, isField)}>
      {(form) => (
        <>
          <Fields
            form={form}
            initial={props.initial}
            hasStatus={hasStatus === true}
            canChangeOwner={canChangeOwner === true}
          />
          {changeOf !== undefined && <Preview change={changeOf(form.values)} />}
        </>
      )}
    </Form>
  );
}

const Preview = ({ change }: { change: ProposedChange | null }) => change !== null && <ChangePreview change={change} />;

interface FieldsProps extends Omit<Parts, "changeOf"> {
  form: UseFormReturnType<SafeFormValues>;
  initial: SafeFormValues;
}

function Fields({ form, initial, hasStatus, canChangeOwner }: FieldsProps) {
  const nameRef = useRef<HTMLInputElement>(null);
  // The dialog set its initial focus before this lazy form was loaded.
  useEffect(() => nameRef.current?.focus(), []);
  const { description, access_level: level, status, owner } = form.values;
  return (
    <>
      <TextInput
        label="Name"
        description="3-100 characters"
        required
        maxLength={MOST_NAME}
        ref={nameRef}
        data-autofocus
        {...form.getInputProps("name")}
      />
      <Textarea
        label="Description"
        description={`The purpose of this safe. ${description.length} of ${MOST_DESCRIPTION} characters`}
        rows={3}
        maxLength={MOST_DESCRIPTION}
        {...form.getInputProps("description")}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="md">
        <Select label="Type" required data={TYPES} allowDeselect={false} {...form.getInputProps("safe_type")} />
        <Select
          label="Access Level"
          required
          data={LEVELS}
          allowDeselect={false}
          inputWrapperOrder={["label", "input", "description", "error"]}
          description={ACCESS_HINTS[level]}
          {...form.getInputProps("access_level")}
        />
        {hasStatus && (
          <Select
            label="Status"
            required
            data={STATUSES}
            allowDeselect={false}
            inputWrapperOrder={["label", "input", "description", "error"]}
            description={STATUS_HINTS[status]}
            {...form.getInputProps("status")}
          />
        )}
        <TextInput
          label="Gateway zone"
          description="Only gateways of this zone open sessions. Empty: every gateway"
          maxLength={60}
          inputWrapperOrder={["label", "input", "error", "description"]}
          {...form.getInputProps("session_zone")}
        />
        <TagsField {...form.getInputProps("tags")} />
        {canChangeOwner && (
          <PrincipalSelect
            label="Owner"
            description={
              owner?.value === initial.owner?.value
                ? "Has all permissions in this safe."
                : "Gets all permissions in this safe. The previous owner stays a member."
            }
            required
            onlyPeople
            value={owner}
            error={form.errors["owner"]}
            onChange={(next) => form.setFieldValue("owner", next)}
          />
        )}
      </SimpleGrid>
    </>
  );
}
