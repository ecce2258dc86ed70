// Changing one's own password; every other session ends with it.
import { Button, Group, PasswordInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { zod4Resolver } from "mantine-form-zod-resolver";
import { z } from "zod";
import { isCallError, messageOf } from "#shared/api/call-error.ts";
import { FormStack } from "#shared/ui/form-stack.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { toast } from "#shared/ui/toast.ts";
import { chosenPassword, requireMatch } from "./choose-password.ts";
import { useChangePassword } from "./sign-in.queries.ts";

const PasswordForm = z
  .object({ current: z.string().min(1, "Please enter your current password."), ...chosenPassword })
  .superRefine(requireMatch);

/** Which field shows what the server says of a part of the call. */
const FIELDS: Record<string, string> = { current_password: "current", new_password: "password" };

export function ChangePasswordCard() {
  const change = useChangePassword();
  const form = useForm({
    initialValues: { current: "", password: "", confirmation: "" },
    validate: zod4Resolver(PasswordForm),
  });

  const submit = form.onSubmit(({ current, password }) =>
    change.mutate(
      { current_password: current, new_password: password },
      {
        onSuccess: () => {
          form.reset();
          toast.success("Password changed. Your other sessions have ended.");
        },
        onError: (error, isHere) => {
          const refused = isCallError(error) ? error.errors.filter(({ path }) => Object.hasOwn(FIELDS, path)) : [];
          for (const { path, msg } of refused) form.setFieldError(FIELDS[path] ?? "", msg);
          if (refused.length === 0 || !isHere) toast.error(messageOf(error, "Failed to change the password"));
        },
      },
    ),
  );

  return (
    <SectionCard title="Change password" description="All your other sessions end when it changes.">
      <FormStack label="Change password" onSubmit={submit} maxWidth="24rem">
        <PasswordInput label="Current password" autoComplete="current-password" {...form.getInputProps("current")} />
        <PasswordInput
          label="New password"
          description="At least 8 characters"
          autoComplete="new-password"
          {...form.getInputProps("password")}
        />
        <PasswordInput label="Confirm password" autoComplete="new-password" {...form.getInputProps("confirmation")} />
        <Group>
          <Button type="submit" loading={change.isPending}>
            Change password
          </Button>
        </Group>
      </FormStack>
    </SectionCard>
  );
}
