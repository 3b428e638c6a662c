import { describe, expect, test } from "vitest";
import { findWrongWeekday } from "../../../core/agent/guards/weekdays.ts";
import { makeContext } from "../../activities/models/fixture.ts";
import { openClinic } from "./clinic.ts";
import { transcripts } from "./corpus/transcripts.ts";
import { listFaults, runTranscript, type Transcript } from "./transcripts.ts";

const play = async (transcript: Transcript): Promise<string[]> =>
  listFaults(transcript, await runTranscript(transcript, openClinic(transcript.scene)));

describe("golden transcripts of the built-in agent", () => {
  test.each(transcripts.filter((one) => one.heldOut !== true))(
    "$language: $name",
    async (transcript) => {
      expect(await play(transcript)).toEqual([]);
    },
  );

  test("no reply names a weekday that does not fit its date", async () => {
    const wrong: string[] = [];
    for (const transcript of transcripts) {
      const world = openClinic(transcript.scene);
      const replies = (await runTranscript(transcript, world)).map(({ reply }) => reply);
      const context = { ...makeContext(), ...world.read("") };
      wrong.push(...replies.filter((text) => findWrongWeekday(text, context) !== null));
    }
    expect(wrong).toEqual([]);
  });

  test("at least 60, a third held out, of which nine in ten go as expected", async () => {
    expect(transcripts.length).toBeGreaterThanOrEqual(60);
    const heldOut = transcripts.filter((one) => one.heldOut === true);
    expect(heldOut.length * 3).toBeGreaterThanOrEqual(transcripts.length);
    const faults = await Promise.all(heldOut.map(play));
    const good = faults.filter((list) => list.length === 0);
    expect(good.length / heldOut.length).toBeGreaterThanOrEqual(0.9);
  });
});
