import { Group, Paper, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { isCoexisting } from "../../../../core/model/channel-setup.ts";
import { isMetaDriver } from "../../../../core/model/channels.ts";
import { sendRateOf } from "../../../../core/model/send-rates.ts";
import { HourChart, type ChartHour, type ChartSeries } from "../../components/hour-chart.tsx";
import { trafficQuery, type Channel, type ChannelTraffic } from "./api.ts";
import styles from "./channels.module.css";

/** Messages in, out and failed in each of the last 24 hours, and the pace of the last minute. */
export function Traffic({ channel }: { channel: Channel }) {
  const { t } = useTranslation();
  const { data } = useQuery(trafficQuery(channel.id));
  return (
    <Paper withBorder p="md" component="section" aria-label={t("channels.traffic")}>
      <Title order={2} size="h3" mb="xs">
        {t("channels.traffic")}
      </Title>
      {data === undefined ? <Skeleton height={76} /> : <Counted channel={channel} traffic={data} />}
    </Paper>
  );
}

interface CountedProps {
  channel: Channel;
  traffic: ChannelTraffic;
}

function Counted({ channel, traffic: { hours, last_minute: minute } }: CountedProps) {
  const { t } = useTranslation();
  const rate = rateOf(channel);
  const limit = rate === null ? undefined : rate * secondsAnHour;
  const series = useSeries();
  const charted = hours.map(({ starts_at: startsAt, inbound, outbound, failed }) => ({
    startsAt,
    values: [outbound - failed, inbound, failed],
  }));
  const sum = (key: "inbound" | "outbound" | "failed"): number =>
    hours.reduce((total, hour) => total + hour[key], 0);
  const totals = [sum("outbound"), sum("inbound"), sum("failed")];
  return (
    <Group gap="xl" align="flex-start">
      <HourChart
        hours={charted}
        series={series}
        title={t("channels.traffic_title")}
        label={[
          t("channels.traffic_label", countsOf(totals)),
          ...(limit === undefined ? [] : [t("channels.pace_label", { count: limit })]),
        ].join(". ")}
        limit={limit}
        words={(hour) => t("channels.traffic_hour", countsOf(cellsOf(hour)))}
        columns={{ heads: series.map(({ name }) => name), cells: cellsOf }}
      />
      <Stack gap={4}>
        {series.map(({ name, color }, index) => (
          <Total key={name} name={name} color={color} count={totals[index] ?? 0} />
        ))}
        {limit !== undefined && <Limit count={limit} />}
      </Stack>
      <Stack gap={4}>
        <Text size="xs" c="dimmed">
          {t("channels.pace")}
        </Text>
        <Text size="sm" className="tabular">
          {t("channels.pace_out", { count: minute.outbound })}
        </Text>
        <Text size="sm" className="tabular">
          {t("channels.pace_in", { count: minute.inbound })}
        </Text>
        {rate !== null && (
          <Text size="xs" c="dimmed" className="tabular">
            {t("channels.pace_most", { count: rate * 60 })}
          </Text>
        )}
      </Stack>
    </Group>
  );
}

const secondsAnHour = 3_600;

/** Messages a second that the channel sends at most; null for the sandbox and web chat. */
function rateOf({ driver, facts }: Channel): number | null {
  return isMetaDriver(driver) ? sendRateOf(driver, isCoexisting(facts)) : null;
}

/** The line of the chart, in words. */
function Limit({ count }: { count: number }) {
  const { t } = useTranslation();
  return (
    <Group gap={8} wrap="nowrap">
      <i className={styles["dash"]} aria-hidden />
      <Text size="sm" w={88}>
        {t("channels.pace_limit")}
      </Text>
      <Text size="sm" className="tabular" fw={500}>
        {t("channels.pace_hour", { count })}
      </Text>
    </Group>
  );
}

/** In the order of the bars, from the bottom. */
function useSeries(): ChartSeries[] {
  const { t } = useTranslation();
  return [
    { name: t("channels.traffic_out"), color: "var(--parley-accent)" },
    {
      name: t("channels.traffic_in"),
      color: "color-mix(in srgb, var(--parley-accent) 55%, var(--parley-panel))",
    },
    { name: t("channels.traffic_failed"), color: "var(--parley-bad-dot)" },
  ];
}

/** Outgoing, incoming and failed ones: a failed message is an outgoing one too. */
function cellsOf({ values: [passed = 0, inbound = 0, failed = 0] }: ChartHour): number[] {
  return [passed + failed, inbound, failed];
}

function countsOf([outbound = 0, inbound = 0, failed = 0]: readonly number[]) {
  return { outbound, inbound, failed };
}

function Total({ name, color, count }: { name: string; color: string; count: number }) {
  const { i18n } = useTranslation();
  return (
    <Group gap={8} wrap="nowrap">
      <i className={styles["swatch"]} style={{ background: color }} aria-hidden />
      <Text size="sm" w={88}>
        {name}
      </Text>
      <Text size="sm" className="tabular" fw={500}>
        {count.toLocaleString(i18n.language)}
      </Text>
    </Group>
  );
}
