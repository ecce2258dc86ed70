// "Start Review": the scope, reviewers and due date of a new review.
import { MultiSelect, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { useMutation } from "#shared/api/use-mutation.ts";
import { counted } from "#shared/format/text.ts";
import { Form } from "#shared/ui/form.tsx";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import type { DialogProps } from "#shared/ui/modal.tsx";
import { RadioChoices } from "#shared/ui/radio-choices.tsx";
import { manySafes, start } from "../access-control.queries.ts";
import { GroupField, PrincipalField } from "../choice-fields.tsx";
import { checkReview, emptyReview, payloadOf, type ReviewValues } from "./review-form-values.ts";

const SCOPES = [
  { value: "all", label: "All safes" },
  { value: "safes", label: "Selected safes" },
  { value: "group", label: "A group and its members" },
] as const satisfies { value: ReviewValues["scope"]; label: string }[];
const REVIEWERS = [
  { value: "owners", label: "The owner of each safe" },
  { value: "person", label: "One person" },
] as const satisfies { value: ReviewValues["reviewers"]; label: string }[];
const UNREVIEWED = [
  { value: "stays", label: "Keep" },
  { value: "is-removed", label: "Remove" },
] as const satisfies { value: ReviewValues["unreviewed"]; label: string }[];

export function StartReviewDialog(props: DialogProps) {
  const { mutateAsync: send } = useMutation(start(useQueryClient()));
  const navigate = useNavigate();
  const [initial] = useState(() => emptyReview(Date.now()));
  const safes = useQuery({ ...manySafes, enabled: props.opened });
  return (
    <FormDialog
      {...props}
      title="Start Review"
      size="lg"
      initial={initial}
      submitLabel="Start Review"
      failureText="Failed to start review"
      save={(values: ReviewValues) => send(payloadOf(values))}
      done={({ items }) => `Review started: ${counted(items.total, "membership")} to decide`}
      onDone={({ id }) => void navigate(`?tab=reviews&review=${id}`)}
    >
      {(given) => (
        <Form<ReviewValues> {...given} check={(values) => checkReview(values, Date.now())}>
          {(form) => (
            <>
              <TextInput label="Name" required maxLength={100} data-autofocus {...form.getInputProps("name")} />
              <RadioChoices label="Memberships" choices={SCOPES} {...form.getInputProps("scope")} />
              {form.values.scope === "safes" && (
                <MultiSelect
                  label="Safes"
                  required
                  searchable
                  maxValues={200}
                  limit={50}
                  data={(safes.data?.safes ?? []).map(({ id, name }) => ({ value: id, label: name }))}
                  value={[...form.values.safes]}
                  error={form.errors["safes"]}
                  nothingFoundMessage={safes.isPending ? "Loading..." : "No matching safe"}
                  onChange={(next) => form.setFieldValue("safes", next)}
                />
              )}
              {form.values.scope === "group" && (
                <GroupField error={form.errors["group"]} onChange={(group) => form.setFieldValue("group", group)} />
              )}
              <RadioChoices label="Reviewed by" choices={REVIEWERS} {...form.getInputProps("reviewers")} />
              {form.values.reviewers === "person" && (
                <PrincipalField
                  label="Reviewer"
                  onlyPeople
                  error={form.errors["reviewer"]}
                  onChange={(who) => form.setFieldValue("reviewer", who.replace(/^user:/, ""))}
                />
              )}
              <TextInput type="date" label="Due" required {...form.getInputProps("due")} />
              <RadioChoices
                choices={UNREVIEWED}
                label="Undecided memberships when the review closes"
                description="Reviewers cannot decide their own membership. Without another reviewer, an administrator decides."
                {...form.getInputProps("unreviewed")}
              />
            </>
          )}
        </Form>
      )}
    </FormDialog>
  );
}
