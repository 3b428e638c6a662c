import { expect, test } from "vitest";
import { createDataSource } from "../../db/data-source.ts";

test.each([
  ["mysql://parley@db/parley", "db", 3_306, "parley", ""],
  ["mysql://parley:a%2Fb%23c%25d@db:3307/parley?charset=utf8mb4", "db", 3_307, "parley", "a/b#c%d"],
  ["mysql://par%40ley:a+b=@[fd00::7]:3306/parley", "fd00::7", 3_306, "par@ley", "a+b="],
  ["mysql://parley@[::1]/parley", "::1", 3_306, "parley", ""],
])("%s names host, port, user and password", (url, host, port, username, password) => {
  const { options } = createDataSource({ url, poolSize: 1 });
  expect(options).toMatchObject({ host, port, username, password, database: "parley" });
});
