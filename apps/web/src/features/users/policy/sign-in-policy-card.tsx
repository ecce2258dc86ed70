// The sign-in policy: allowed methods, networks and session limits (OPEN-01 to OPEN-03, OPEN-08, OPEN-17).
import { Checkbox, Group, SimpleGrid, TextInput, Textarea } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { ROLES, type SignInPolicy } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { fieldErrorsOf } from "#shared/api/field-errors.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { capitalised } from "#shared/format/text.ts";
import { SignUpRuleFields } from "#shared/session/sign-up-rule.tsx";
import { Form } from "#shared/ui/form.tsx";
import { SectionSkeleton } from "#shared/ui/section-skeleton.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import { toast } from "#shared/ui/toast.ts";
import classes from "#shared/ui/admin-console.module.css";
import { policyChange, signInPolicy } from "../users.queries.ts";
import { PolicyPreview } from "./policy-preview.tsx";
import {
  POLICY_LIMITS,
  boundsOf,
  checkPolicy,
  isPolicyField,
  policyOf,
  valuesOf,
  type PolicyLimitField,
  type PolicyValues,
} from "./sign-in-policy-form.ts";

export default function SignInPolicyCard() {
  const policy = useQuery(signInPolicy);
  return (
    <SectionCard title="Sign-In Policy" description="Users can set stricter limits for themselves, but not looser ones">
      {policy.data !== undefined ? (
        // Resets the form when another administrator has changed the policy.
        <PolicyForm key={JSON.stringify(policy.data)} policy={policy.data} />
      ) : policy.isError ? (
        <ErrorState message={messageOf(policy.error)} onRetry={() => void policy.refetch()} />
      ) : (
        <SectionSkeleton />
      )}
    </SectionCard>
  );
}

function PolicyForm({ policy }: { policy: SignInPolicy }) {
  const { mutateAsync: save } = useMutation(policyChange(useQueryClient()));
  return (
    <Form<PolicyValues>
      label="Sign-in policy"
      initial={valuesOf(policy)}
      check={checkPolicy}
      objectionsIn={(error) => fieldErrorsOf(error, isPolicyField)}
      isDisabled={(form) => !form.isDirty()}
      failureText="Failed to save the sign-in policy"
      submitLabel="Save Policy"
      onSubmit={async (values) => {
        await save(policyOf(values));
        toast.success("Sign-in policy saved");
      }}
      renderBeside={(form) => <PolicyPreview before={policy} after={editedPolicy(form)} />}
    >
      {(form) => (
        <>
          {POLICY_LIMITS.map((limits) => (
            <Limits key={limits[0]?.field} form={form} limits={limits} />
          ))}
          <Checkbox.Group
            label="Second factor required"
            description="Users with these roles and no second factor, including you, are signed out when you save and must set one up at the next sign-in. Until then, their API tokens do not work"
            {...form.getInputProps("mfa_required_roles")}
          >
            <Group mt="xs" gap="lg">
              {ROLES.map((role) => (
                <Checkbox key={role} value={role} label={capitalised(role)} />
              ))}
            </Group>
          </Checkbox.Group>
          <Textarea
            label="Allowed networks"
            description="One per line, such as 10.0.0.0/8 or 2001:db8::/32. Leave empty to allow any network"
            rows={3}
            spellCheck={false}
            {...form.getInputProps("allowed_networks")}
          />
          <SignUpRuleFields
            value={form.values}
            onChange={(change) => form.setValues(change)}
            error={form.errors["sign_up_domains"]}
          />
        </>
      )}
    </Form>
  );
}

/** The policy that saving would send; null when the form is unchanged or invalid. */
const editedPolicy = (form: UseFormReturnType<PolicyValues>): SignInPolicy | null =>
  form.isDirty() && Object.keys(checkPolicy(form.values)).length === 0 ? policyOf(form.values) : null;

interface LimitsProps {
  form: UseFormReturnType<PolicyValues>;
  limits: readonly PolicyLimitField[];
}

/** One row of number fields, stacked on a small screen. */
function Limits({ form, limits }: LimitsProps) {
  return (
    // Fields under labels of one and two lines stay level.
    <SimpleGrid cols={{ base: 1, xs: limits.length }} spacing="md" verticalSpacing="sm" style={{ alignItems: "end" }}>
      {limits.map(({ field, label, unit, description }) => (
        <TextInput
          key={field}
          type="number"
          {...boundsOf(field)}
          step={1}
          label={label}
          description={description}
          rightSection={<span className={classes.unit}>{unit}</span>}
          rightSectionWidth={unit === "characters" ? "5.75rem" : "4.75rem"}
          classNames={{ section: classes.unitSection }}
          required
          {...form.getInputProps(field)}
          value={Number.isNaN(form.values[field]) ? "" : form.values[field]}
          onChange={(event) => form.setFieldValue(field, event.currentTarget.valueAsNumber)}
        />
      ))}
    </SimpleGrid>
  );
}
