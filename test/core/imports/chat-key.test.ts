import { expect, test } from "vitest";
import { chatKey, findNew, keysOfStored } from "../../../core/imports/chat-key.ts";

const at = (time: string) => new Date(`2026-03-06T${time}Z`);

test("seconds, marks, spaces and the form of accents make no difference", () => {
  const one = chatKey({ at: at("13:45:00"), direction: "in", text: "Café  sí" });
  const other = chatKey({ at: at("13:45:59"), direction: "in", text: "\u200eCafe\u0301 sí\n" });
  expect(one).toBe(other);
});

test("minute, direction and case make a difference", () => {
  const keys = [
    chatKey({ at: at("13:45:00"), direction: "in", text: "ok" }),
    chatKey({ at: at("13:46:00"), direction: "in", text: "ok" }),
    chatKey({ at: at("13:45:00"), direction: "out", text: "ok" }),
    chatKey({ at: at("13:45:00"), direction: "in", text: "OK" }),
  ];
  expect(new Set(keys).size).toBe(4);
});

test("of equal messages only those beyond the known number are new", () => {
  const known = [["a"], ["a"], ["b"]];
  expect(findNew(["a", "a", "a", "b", "c"], [], known)).toEqual([false, false, true, false, true]);
  expect(findNew(["a", "a"], ["a"], known)).toEqual([false, true]);
});

test("a message with two keys stands for one message, and rather for its likely key", () => {
  expect(findNew(["45", "46"], [], [["46", "45"]])).toEqual([false, true]);
  expect(findNew(["45", "46"], [], [["46", "45"], ["46"]])).toEqual([false, false]);
  expect(findNew(["46", "45"], [], [["46", "45"], ["46"]])).toEqual([false, false]);
  expect(findNew(["46"], ["45"], [["46", "45"]])).toEqual([true]);
});

test("a location has one key in exports of Android and iOS, by a name and by coordinates", () => {
  const texts = [
    "location: https://maps.google.com/?q=51.50214569326172,-0.12739797972656",
    "\u200eLocation: https://maps.google.com/?q=51.5021456,-0.127397",
    "ubicación: https://maps.google.com/?q=-34.6,-58.4",
    "localização: https://maps.google.com/?q=-23,-46",
    "Pimlico Gardens (London, United Kingdom): https://foursquare.com/v/4e89af95e5fa82ad4c0aa03b",
  ];
  const exported = texts.map((text) => chatKey({ at: at("13:45:00"), direction: "in", text }));
  const stored = ["Pimlico Gardens, London", "51.5021456, -0.127397", null].flatMap((content) =>
    keysOfStored({
      direction: "inbound",
      type: "location",
      content,
      at: at("13:45:30"),
      isLate: false,
    }),
  );
  expect(new Set([...exported, ...stored]).size).toBe(1);
});

test("a text with a link to a map is no location", () => {
  const texts = [
    "https://maps.google.com/?q=51.5,-0.1",
    "Go to 5th: https://maps.google.com/?q=51.5,-0.1",
    "location: https://maps.google.com/?q=Pimlico",
    "location: https://maps.google.com/?q=51.5,-0.1 is it?",
    "location",
  ];
  const keys = texts.map((text) => chatKey({ at: at("13:45:00"), direction: "in", text }));
  expect(new Set(keys).size).toBe(texts.length);
});
