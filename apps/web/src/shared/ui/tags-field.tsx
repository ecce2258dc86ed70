// The tags of an object in a form. Text that is not a valid tag is refused here and never becomes a value.
import { TagsInput } from "@mantine/core";
import { MOST_TAGS, Tag } from "@strongroom/contract";
import { useState, type ReactNode } from "react";

export interface TagsFieldProps {
  value?: string[];
  onChange?: (tags: string[]) => void;
  error?: ReactNode;
  className?: string | undefined;
}

export function TagsField({ value = [], onChange, error, className }: TagsFieldProps) {
  const [refusal, setRefusal] = useState<string | null>(null);
  const change = (texts: string[]) => {
    const read = texts.map((text) => Tag.safeParse(text));
    setRefusal(read.find(({ success }) => !success)?.error?.issues[0]?.message ?? null);
    onChange?.([...new Set(read.flatMap(({ data }) => data ?? []))]);
  };
  return (
    <TagsInput
      className={className}
      label="Tags"
      description="Press Enter or comma after each tag"
      maxTags={MOST_TAGS}
      maxLength={40}
      splitChars={[","]}
      acceptValueOnBlur
      value={value}
      onChange={change}
      error={refusal ?? error}
    />
  );
}
