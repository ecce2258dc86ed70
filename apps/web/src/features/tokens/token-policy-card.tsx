// The longest lifetime of API tokens, for administrators.
import { TextInput } from "@mantine/core";
import { TokenPolicy } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { firstObjections } from "#shared/api/field-errors.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { Form } from "#shared/ui/form.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { toast } from "#shared/ui/toast.ts";
import classes from "./tokens.module.css";
import { policyChange, tokenPolicy } from "./tokens.queries.ts";

export function TokenPolicyCard() {
  const policy = useQuery(tokenPolicy);
  return (
    <SectionCard
      title="API Token Policy"
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
  const { mutateAsync: save } = useMutation(policyChange(useQueryClient()));
  return (
    <Form
      label="API token policy"
      initial={{ person_days: String(policy.person_days), machine_days: String(policy.machine_days) }}
      check={(values) => firstObjections(TokenPolicy, policyOf(values))}
      isDisabled={(form) => !form.isDirty()}
      failureText="Failed to save the API token policy"
      submitLabel="Save"
      onSubmit={async (values) => {
        await save(policyOf(values));
        toast.success("API token policy saved");
      }}
    >
      {(form) => (
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
      )}
    </Form>
  );
}
