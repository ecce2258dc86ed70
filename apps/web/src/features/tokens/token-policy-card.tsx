// How long API tokens may live, for administrators.
import { Button, Group, NumberInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { TokenPolicy } from "@strongroom/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { zod4Resolver } from "mantine-form-zod-resolver";
import { messageOf } from "#shared/api/call-error.ts";
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
      description="How long tokens live. A tighter policy ends at once what is older."
    >
      <Loaded query={policy}>
        {(data) => <PolicyForm key={`${data.person_days}/${data.machine_days}`} policy={data} />}
      </Loaded>
    </SectionCard>
  );
}

function PolicyForm({ policy }: { policy: TokenPolicy }) {
  const { mutate, isPending } = useMutation(policyChange(useQueryClient()));
  const form = useForm<TokenPolicy>({ initialValues: policy, validate: zod4Resolver(TokenPolicy) });
  const submit = form.onSubmit((values) =>
    mutate(values, {
      onSuccess: () => toast.success("API token policy saved"),
      onError: (error) => toast.error(messageOf(error), { title: "Failed to save the API token policy" }),
    }),
  );
  return (
    <FormStack label="API token policy" onSubmit={submit}>
      <div className={classes.pair}>
        <NumberInput label="People (days at most)" min={1} max={365} {...form.getInputProps("person_days")} />
        <NumberInput label="Machines (days at most)" min={1} max={3650} {...form.getInputProps("machine_days")} />
      </div>
      <Group>
        <Button type="submit" loading={isPending} disabled={!form.isDirty()}>
          Save
        </Button>
      </Group>
    </FormStack>
  );
}
