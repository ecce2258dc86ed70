// Edits the user's own name in place.
import { TextInput } from "@mantine/core";
import { PersonName } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { z } from "zod";
import { firstObjections } from "#shared/api/field-errors.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { Form } from "#shared/ui/form.tsx";
import { toast } from "#shared/ui/toast.ts";
import { renaming } from "./profile.queries.ts";

export function NameForm({ name, onDone }: { name: string; onDone: () => void }) {
  const { mutateAsync: rename } = useMutation(renaming(useQueryClient()));
  const ref = useRef<HTMLInputElement>(null);
  // Moves the focus to the field, because the button that opened the form is gone.
  useEffect(() => ref.current?.focus(), []);
  return (
    <Form
      label="Change name"
      initial={{ name }}
      check={(values) => firstObjections(z.object({ name: PersonName }), values)}
      failureText="Failed to change your name"
      submitLabel="Save name"
      onCancel={onDone}
      onSubmit={async (values, isHere) => {
        await rename(values.name);
        toast.success("Name changed");
        if (isHere()) onDone();
      }}
      maxWidth="24rem"
    >
      {(form) => (
        <TextInput label="Name" maxLength={100} autoComplete="name" ref={ref} {...form.getInputProps("name")} />
      )}
    </Form>
  );
}
