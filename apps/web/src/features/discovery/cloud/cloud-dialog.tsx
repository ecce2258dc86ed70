// Starts a cloud discovery of a target.
import { TextInput } from "@mantine/core";
import { startCloudDiscovery, type DiscoveryTarget } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { firstObjections } from "#shared/api/field-errors.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { partsOf } from "#shared/format/text.ts";
import { Form } from "#shared/ui/form.tsx";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import type { DialogProps } from "#shared/ui/modal.tsx";
import classes from "../discovery.module.css";
import { cloudStart } from "./cloud.queries.ts";

interface CloudFormValues {
  regions: string;
}

export function CloudDialog({ target, ...props }: DialogProps & { target: DiscoveryTarget }) {
  const { mutateAsync: start } = useMutation(cloudStart(useQueryClient(), target.id));
  const hasRegions = target.target_type === "aws";
  const check = ({ regions }: CloudFormValues) =>
    firstObjections(startCloudDiscovery.body!, { targetId: target.id, regions: partsOf(regions) }, () => "regions");
  return (
    <FormDialog
      {...props}
      title="Find Cloud Resources"
      initial={{ regions: "" }}
      submitLabel="Start Discovery"
      failureText="Failed to start cloud discovery"
      save={({ regions }: CloudFormValues) => start(partsOf(regions))}
      done="Cloud discovery started successfully"
    >
      {(dialog) => (
        <Form {...dialog} check={check}>
          {(form) => (
            <>
              <p className={classes.sentence}>
                Lists users, service accounts, access keys, roles, and the names of secrets of{" "}
                <strong>{target.name}</strong>. It reads no value and changes nothing.
              </p>
              {hasRegions && (
                <TextInput
                  label="Regions"
                  description="Separated by commas. Leave empty for the region of the credential."
                  placeholder="eu-central-1, us-east-1"
                  maxLength={600}
                  data-autofocus
                  {...form.getInputProps("regions")}
                />
              )}
            </>
          )}
        </Form>
      )}
    </FormDialog>
  );
}
