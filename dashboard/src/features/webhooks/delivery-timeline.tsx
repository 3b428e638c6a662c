import { Box, Group, Text } from "@mantine/core";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import { formatWait } from "../../../../core/model/workflow/delivery.ts";
import type { Delivery } from "./deliveries-api.ts";
import { timelineOf, waitWeight, type TimelineStep } from "./timeline.ts";

const looks: Record<TimelineStep["outcome"], { line: string; fill: string; text: string }> = {
  delivered: { line: "var(--parley-ok-dot)", fill: "var(--parley-ok-dot)", text: "filled" },
  failed: { line: "var(--parley-bad-dot)", fill: "var(--parley-bad-dot)", text: "filled" },
  sending: { line: "var(--parley-info)", fill: "transparent", text: "plain" },
  planned: { line: "var(--mantine-color-dimmed)", fill: "transparent", text: "plain" },
};

/** The attempts of a delivery in a row. Distances follow the logarithm of the waits. */
export function DeliveryTimeline({ delivery }: { delivery: Delivery }) {
  const { t } = useTranslation();
  const steps = timelineOf(delivery);
  if (steps.length === 0) return null;
  return (
    <Group
      component="ol"
      gap={0}
      wrap="nowrap"
      align="flex-start"
      p={0}
      m={0}
      role="list"
      aria-label={t("deliveries.timeline")}
    >
      {steps.map((step, index) => (
        <Fragment key={index}>
          <Dot step={step} />
          {step.waitMs !== null && <Wait waitMs={step.waitMs} waited={step.waited} />}
        </Fragment>
      ))}
    </Group>
  );
}

function Dot({ step: { number, outcome } }: { step: TimelineStep }) {
  const { t } = useTranslation();
  const { line, fill, text } = looks[outcome];
  const words = t(`deliveries.step.${outcome}`, { number });
  return (
    <Box
      component="li"
      title={words}
      style={{ listStyle: "none", flex: "none", width: 22, height: 22, textAlign: "center" }}
    >
      <svg width="22" height="22" viewBox="0 0 22 22" role="img" aria-label={words}>
        <circle
          cx="11"
          cy="11"
          r="10"
          fill={fill}
          stroke={line}
          strokeDasharray={outcome === "planned" ? "3 2" : undefined}
        />
        <text
          x="11"
          y="15"
          textAnchor="middle"
          fontSize="11"
          fill={text === "filled" ? "var(--parley-on-accent)" : "currentColor"}
        >
          {number}
        </text>
      </svg>
    </Box>
  );
}

/** Line of a wait: solid once the wait is over, else dashed. */
function Wait({ waitMs, waited }: { waitMs: number; waited: boolean }) {
  return (
    <Box
      component="li"
      style={{ listStyle: "none", flex: `${waitWeight(waitMs)} 1 0`, minWidth: 24 }}
    >
      <Box
        h={11}
        mx={3}
        style={{
          borderBottom: `1px ${waited ? "solid" : "dashed"} var(--mantine-color-dimmed)`,
        }}
      />
      <Text fz={11} c="dimmed" ta="center" mt={8} mx={-8} style={{ whiteSpace: "nowrap" }}>
        {formatWait(waitMs)}
      </Text>
    </Box>
  );
}
