// The form of a group, for creating and editing one.
import { Alert, Button, Group as Row, Select, Stack, Switch, TextInput, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconAlertTriangle } from "@tabler/icons-react";
import { GROUP_KINDS } from "@strongroom/contract";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { fieldErrorsOf } from "#shared/api/field-errors.ts";
import {
  BREAK_GLASS_HINT,
  KIND_HINTS,
  KIND_LABELS,
  checkGroup,
  isField,
  type GroupFormValues,
} from "./group-form-values.ts";

export interface GroupFormProps {
  initial: GroupFormValues;
  submitLabel: string;
  /** Above the server's reason. */
  failureText: string;
  onCancel: () => void;
  /** Rejects when the server refuses. */
  onSubmit: (values: GroupFormValues) => Promise<void>;
}

const KINDS = GROUP_KINDS.map((value) => ({ value, label: KIND_LABELS[value] }));

export function GroupForm({ initial, submitLabel, failureText, onCancel, onSubmit }: GroupFormProps) {
  const [failure, setFailure] = useState<string | null>(null);
  const form = useForm<GroupFormValues>({
    initialValues: initial,
    validate: checkGroup,
    onValuesChange: () => setFailure(null),
  });

  async function submit(values: GroupFormValues): Promise<void> {
    setFailure(null);
    try {
      await onSubmit(values);
    } catch (error) {
      form.setErrors(fieldErrorsOf(error, isField));
      setFailure(messageOf(error));
    }
  }

  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="md">
        {failure !== null && (
          <Alert color="red" variant="light" role="alert" title={failureText} icon={<IconAlertTriangle aria-hidden />}>
            {failure}
          </Alert>
        )}
        <TextInput label="Name" required maxLength={100} data-autofocus {...form.getInputProps("name")} />
        <Textarea label="Description" rows={2} maxLength={500} {...form.getInputProps("description")} />
        <Select
          label="Kind"
          required
          data={KINDS}
          allowDeselect={false}
          inputWrapperOrder={["label", "input", "description", "error"]}
          description={KIND_HINTS[form.values.kind]}
          {...form.getInputProps("kind")}
        />
        <Switch
          label="May break glass"
          description={BREAK_GLASS_HINT}
          {...form.getInputProps("may_break_glass", { type: "checkbox" })}
        />
        <Row justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel} disabled={form.submitting}>
            Cancel
          </Button>
          <Button type="submit" loading={form.submitting}>
            {submitLabel}
          </Button>
        </Row>
      </Stack>
    </form>
  );
}
