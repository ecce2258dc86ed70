// "Save View": names the current filters, and optionally shares them.
import { Checkbox, TextInput } from "@mantine/core";
import { NewSavedView, type ViewFilters, type ViewList } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { fieldErrorsOf, firstObjections } from "#shared/api/field-errors.ts";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import { Form } from "#shared/ui/form.tsx";
import { saveView } from "./saved-views.queries.ts";

interface Values {
  name: string;
  is_shared: boolean;
}
const EMPTY: Values = { name: "", is_shared: false };

export interface SaveViewDialogProps {
  list: ViewList;
  filters: ViewFilters;
  opened: boolean;
  onClose: () => void;
}

export function SaveViewDialog({ list, filters, opened, onClose }: SaveViewDialogProps) {
  const client = useQueryClient();
  const bodyOf = (values: Values): NewSavedView => ({ list, filters, ...values });
  return (
    <FormDialog
      opened={opened}
      onClose={onClose}
      title="Save View"
      size="sm"
      initial={EMPTY}
      submitLabel="Save View"
      failureText="Failed to save the view"
      save={(values) => saveView(client, bodyOf(values))}
      done={({ name }) => `View "${name}" saved`}
    >
      {(props) => (
        <Form
          {...props}
          check={(values) => firstObjections(NewSavedView, bodyOf(values))}
          objectionsIn={(error) => fieldErrorsOf(error, (path): path is keyof Values => path in EMPTY)}
        >
          {(form) => (
            <>
              <TextInput label="View Name" required maxLength={60} data-autofocus {...form.getInputProps("name")} />
              <Checkbox
                label="Share with everyone"
                description="Others see the name and the filters, including the search text. They see only what they could see anyway."
                {...form.getInputProps("is_shared", { type: "checkbox" })}
              />
            </>
          )}
        </Form>
      )}
    </FormDialog>
  );
}
