// "Start Review": the scope, reviewers and due date of a new review.
import { MultiSelect, Radio, Stack, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { useMutation } from "#shared/api/use-mutation.ts";
import { counted } from "#shared/format/text.ts";
import { Form } from "#shared/ui/form.tsx";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import type { DialogProps } from "#shared/ui/modal.tsx";
import { manySafes, start } from "../access-control.queries.ts";
import { GroupField, PrincipalField } from "../choice-fields.tsx";
import { checkReview, emptyReview, payloadOf, type ReviewValues } from "./review-form-values.ts";

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
              <Radio.Group label="Memberships" {...form.getInputProps("scope")}>
                <Stack gap={6} mt={6}>
                  <Radio value="all" label="All safes" />
                  <Radio value="safes" label="Selected safes" />
                  <Radio value="group" label="A group and its members" />
                </Stack>
              </Radio.Group>
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
              <Radio.Group label="Reviewed by" {...form.getInputProps("reviewers")}>
                <Stack gap={6} mt={6}>
                  <Radio value="owners" label="The owner of each safe" />
                  <Radio value="person" label="One person" />
                </Stack>
              </Radio.Group>
              {form.values.reviewers === "person" && (
                <PrincipalField
                  label="Reviewer"
                  onlyPeople
                  error={form.errors["reviewer"]}
                  onChange={(who) => form.setFieldValue("reviewer", who.replace(/^user:/, ""))}
                />
              )}
              <TextInput type="date" label="Due" required {...form.getInputProps("due")} />
              <Radio.Group
                label="Undecided memberships when the review closes"
                description="Reviewers cannot decide their own membership. Without another reviewer, an administrator decides."
                {...form.getInputProps("unreviewed")}
              >
                <Stack gap={6} mt={6}>
                  <Radio value="stays" label="Keep" />
                  <Radio value="is-removed" label="Remove" />
                </Stack>
              </Radio.Group>
            </>
          )}
        </Form>
      )}
    </FormDialog>
  );
}
