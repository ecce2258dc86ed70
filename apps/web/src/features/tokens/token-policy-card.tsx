// The longest lifetime of API tokens, for administrators.
import { Button, Group, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { TokenPolicy } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { firstObjections } from "#shared/api/field-errors.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { FormStack } from "#shared/ui/form-stack.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { toast } from "#shared/ui/toast.ts";
import classes from "./tokens.module.css";
import { policyChange, tokenPolicy } from "./tokens.queries.ts";

export function TokenPolicyCard() {
  const policy = useQuery(tokenPolicy);
  return (
    <SectionCard
      title="API token policy"
      description="Maximum lifetime of tokens. A stricter policy ends older tokens immediately."
    >
      <Loaded query={policy}>
        {(data) => <PolicyForm key={`${data.person_days}/${data.machine_days}`} policy={data} />}
      </Loaded>
    </SectionCard>
  );
}

const policyOf = (typed: Record<keyof TokenPolicy, string>): TokenPolicy => ({
  person_days: Number(typed.person_days),
  machine_days: Number(typed.machine_days),
});

function PolicyForm({ policy }: { policy: TokenPolicy }) {
  const { mutate, isPending } = useMutation(policyChange(useQueryClient()));
  const form = useForm({
    initialValues: { person_days: String(policy.person_days), machine_days: String(policy.machine_days) },
    validate: (values) => firstObjections(TokenPolicy, policyOf(values)),
  });
  const submit = form.onSubmit((values) =>
    mutate(policyOf(values), {
      onSuccess: () => toast.success("API token policy saved"),
      onError: (error) => toast.error(messageOf(error), { title: "Failed to save the API token policy" }),
    }),
  );
  return (
    <FormStack label="API token policy" onSubmit={submit}>
      <div className={classes.pair}>
        <TextInput
          label="User tokens (maximum days)"
          type="number"
          min={1}
          max={365}
          {...form.getInputProps("person_days")}
        />
        <TextInput
          label="Machine tokens (maximum days)"
          type="number"
          min={1}
          max={3650}
          {...form.getInputProps("machine_days")}
        />
      </div>
      <Group>
        <Button type="submit" loading={isPending} disabled={!form.isDirty()}>
          Save
        </Button>
      </Group>
    </FormStack>
  );
}
