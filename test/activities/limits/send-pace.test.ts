import { expect, test } from "vitest";
import { createSendPace, type SendTurn } from "../../../activities/limits/send-pace.ts";

function createPace() {
  const clock = { at: 1_000_000 };
  const pace = createSendPace(() => clock.at);
  let messageId = 0;
  const turnTo = (to: string, driver: SendTurn["driver"] = "whatsapp_cloud"): SendTurn => ({
    messageId: (messageId += 1),
    channelAccountId: 1,
    driver,
    to,
  });
  /** Books turns to different customers. @returns the wait of the last one */
  const bookMany = (count: number, driver?: SendTurn["driver"]): number =>
    Array.from({ length: count }, (_, n) => pace.book(turnTo(`customer-${n}`, driver))).at(-1) ?? 0;
  return { clock, pace, turnTo, bookMany };
}

test.each([
  ["whatsapp_cloud", 80],
  ["messenger", 300],
  ["instagram_page", 300],
  ["instagram_login", 300],
] as const)("%s sends %i messages a second", (driver, rate) => {
  const { bookMany } = createPace();
  expect(bookMany(rate + 1, driver)).toBe(1_000);
});

/** The most messages that left within any one second. */
function busiestSecond(left: number[]): number {
  return Math.max(...left.map((at) => left.filter((one) => one > at - 1_000 && one <= at).length));
}

test("turns that are taken late and together still leave 80 in each second", () => {
  const { clock, pace, turnTo } = createPace();
  const turns = Array.from({ length: 240 }, (_, n) => turnTo(`customer-${n}`));
  for (const turn of turns) pace.book(turn, -1);
  // The worker was busy for two seconds, and takes what has become due all at once.
  clock.at += 2_000;
  const left: number[] = [];
  let waiting = turns;
  while (waiting.length > 0) {
    waiting = waiting.filter((turn) => {
      const waitMs = pace.book(turn, 0);
      if (waitMs === 0) left.push(clock.at);
      return waitMs > 0;
    });
    clock.at += 5;
  }
  expect(busiestSecond(left)).toBe(80);
  // The pace is used: 240 messages need two seconds more after the first 80.
  expect((left.at(-1) ?? 0) - (left[0] ?? 0)).toBeLessThan(2_200);
});

test("a message that leaves later than its turn counts from when it leaves", () => {
  const { clock, pace, turnTo } = createPace();
  const stalledAt = clock.at + 500;
  const left: number[] = [];
  let waiting = Array.from({ length: 240 }, (_, n) => turnTo(`customer-${n}`));
  let booked: { turn: SendTurn; leavesAt: number }[] = [];
  while (left.length < 240) {
    waiting = waiting.filter((turn) => {
      const waitMs = pace.book(turn, 250);
      const turnAt = clock.at + waitMs;
      // The database answers nothing for a tenth of the first second.
      const isHeldUp = turnAt > stalledAt && turnAt < stalledAt + 100;
      const leavesAt = isHeldUp ? stalledAt + 100 : turnAt;
      if (waitMs <= 250) booked.push({ turn, leavesAt });
      return waitMs > 250;
    });
    booked = booked.filter(({ turn, leavesAt }) => {
      if (leavesAt > clock.at) return true;
      pace.leave(turn);
      left.push(clock.at);
      return false;
    });
    clock.at += 1;
  }
  expect(busiestSecond(left)).toBe(80);
  expect((left.at(-1) ?? 0) - (left[0] ?? 0)).toBeLessThan(3_200);
});

test("a booked turn is kept for its message, and taken once", () => {
  const { clock, pace, turnTo, bookMany } = createPace();
  bookMany(80);
  const turn = turnTo("late");
  expect(pace.book(turn)).toBe(1_000);
  clock.at += 400;
  expect(pace.book(turn)).toBe(600);
  clock.at += 600;
  expect(pace.book(turn)).toBe(0);
  expect(pace.book(turn)).toBeGreaterThan(0);
});

test("a turn that comes soon is taken at once, so the next try books another", () => {
  const { pace, turnTo, bookMany } = createPace();
  bookMany(8);
  const turn = turnTo("soon");
  expect(pace.book(turn, 250)).toBe(100);
  expect(pace.book(turn, 250)).toBe(113);
});

test("a customer of WhatsApp gets 45 messages at once, then one every 6 s", () => {
  const { clock, pace, turnTo } = createPace();
  const waits = Array.from({ length: 47 }, () => {
    clock.at += 13;
    return pace.book(turnTo("5215512345678"));
  });
  expect(waits.slice(0, 45).every((waitMs) => waitMs === 0)).toBe(true);
  expect(waits[45]).toBeGreaterThan(5_000);
  expect((waits[46] ?? 0) - (waits[45] ?? 0)).toBeGreaterThan(5_900);
  expect(pace.book(turnTo("5215500000001"))).toBeLessThan(20);
});

test("Messenger has no limit of one customer", () => {
  const { clock, pace, turnTo } = createPace();
  for (let n = 0; n < 100; n += 1) {
    clock.at += 4;
    expect(pace.book(turnTo("6100", "messenger"))).toBe(0);
  }
});

test("a refusal halves the pace once a second, and a minute brings it back", () => {
  const { clock, pace, turnTo, bookMany } = createPace();
  const { channelAccountId, driver } = turnTo("any");
  for (let n = 0; n < 10; n += 1) pace.slowDown({ channelAccountId, driver });
  expect(bookMany(41)).toBe(1_000);
  clock.at += 1_000;
  pace.slowDown({ channelAccountId, driver });
  clock.at += 10;
  expect(bookMany(22)).toBeGreaterThan(950);
  clock.at += 62_000;
  expect(bookMany(81)).toBe(1_000);
});

test("the pace never falls below one message a second", () => {
  const { clock, pace, turnTo } = createPace();
  const turn = turnTo("any");
  for (let n = 0; n < 50; n += 1) {
    pace.slowDown(turn);
    clock.at += 1_001;
  }
  expect(pace.book(turn)).toBe(0);
  expect(pace.book(turnTo("next"))).toBeLessThanOrEqual(1_000);
});

test("numbers do not wait for each other", () => {
  const { pace, turnTo, bookMany } = createPace();
  bookMany(200);
  expect(pace.book({ ...turnTo("other"), channelAccountId: 2 })).toBe(0);
});

test("a number has room for a quarter of a second, half of it at least, and what was announced takes its part", () => {
  const { clock, pace, turnTo } = createPace();
  expect(pace.room(1)).toBe(16);
  pace.book(turnTo("first"), 250);
  expect(pace.room(1)).toBe(19);
  const announced = Array.from({ length: 8 }, (_, n) => turnTo(`announced-${n}`));
  for (const turn of announced) pace.announce(turn);
  expect(pace.room(1)).toBe(11);
  // An announced and booked message takes room once.
  for (const turn of announced) expect(pace.book(turn, 250)).toBeLessThanOrEqual(250);
  expect(pace.room(1)).toBe(11);
  for (const to of ["one more", "and another"]) pace.announce(turnTo(to));
  expect(pace.room(1)).toBe(0);
  clock.at += 125;
  expect(pace.room(1)).toBe(18);
});

test("an announced message that ends without a turn gives its room back", () => {
  const { pace, turnTo } = createPace();
  pace.book(turnTo("first"), 250);
  const turn = turnTo("second");
  pace.announce(turn);
  expect(pace.room(1)).toBe(18);
  pace.drop(turn);
  expect(pace.room(1)).toBe(19);
});

test("whoever books what a number has room for sends its rate, and waits within the hand-over", () => {
  const { clock, pace, turnTo } = createPace();
  pace.book(turnTo("first"), 250);
  const startedAt = clock.at;
  let sent = 0;
  while (clock.at < startedAt + 10_000) {
    for (let room = pace.room(1); room > 0; room -= 1, sent += 1) {
      expect(pace.book(turnTo(`customer-${sent}`), 250)).toBeLessThanOrEqual(250);
    }
    clock.at += 5;
  }
  expect(sent / 10).toBeGreaterThan(76);
  expect(sent / 10).toBeLessThan(83);
});
