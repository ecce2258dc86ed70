// A group of radio buttons, one below the other.
import { Radio, Stack, type RadioGroupProps } from "@mantine/core";

interface RadioChoicesProps extends Omit<RadioGroupProps, "children"> {
  choices: readonly { value: string; label: string; description?: string }[];
}

/** Takes the input props of a form's field. */
export function RadioChoices({ choices, ...group }: RadioChoicesProps) {
  return (
    <Radio.Group {...group}>
      <Stack gap={6} mt={6}>
        {choices.map((choice) => (
          <Radio key={choice.value} {...choice} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
