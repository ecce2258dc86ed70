// Edits the user's own name in place.
import { Button, Group, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { PersonName } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { zod4Resolver } from "mantine-form-zod-resolver";
import { z } from "zod";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { FormStack } from "#shared/ui/form-stack.tsx";
import { toast } from "#shared/ui/toast.ts";
import { renaming } from "./profile.queries.ts";

export function NameForm({ name, onDone }: { name: string; onDone: () => void }) {
  const { mutate, isPending } = useMutation(renaming(useQueryClient()));
  const form = useForm({ initialValues: { name }, validate: zod4Resolver(z.object({ name: PersonName })) });
  // Moves the focus to the field, because the button that opened the form is gone.
  const { getInputNode } = form;
  useEffect(() => getInputNode("name")?.focus(), [getInputNode]);
  const submit = form.onSubmit((values) =>
    mutate(values.name, {
      onSuccess: (_, isHere) => {
        toast.success("Name changed");
        if (isHere) onDone();
      },
      onError: (error, isHere) => {
        if (isHere) form.setFieldError("name", messageOf(error));
        else toast.error(messageOf(error), { title: "Failed to change your name" });
      },
    }),
  );
  return (
    <FormStack label="Change name" onSubmit={submit} maxWidth="24rem">
      <TextInput label="Name" maxLength={100} autoComplete="name" {...form.getInputProps("name")} />
      <Group gap="xs">
        <Button type="submit" loading={isPending}>
          Save name
        </Button>
        <Button variant="default" onClick={onDone} disabled={isPending}>
          Cancel
        </Button>
      </Group>
    </FormStack>
  );
}
