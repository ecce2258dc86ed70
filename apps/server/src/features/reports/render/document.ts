// A tagged PDF (ISO 32000-1 §14.8) with headings, paragraphs, tables and charts that break across pages.
import { createRequire } from "node:module";
import { setImmediate } from "node:timers/promises";
import Pdf from "pdfkit";

const resolve = createRequire(import.meta.url).resolve;
const fontFile = (name: string): string => resolve(`@expo-google-fonts/inter/${name}`);

/** An embedded font: the standard fonts of PDF lack most letters outside Western Europe. */
const FONTS = {
  regular: fontFile("400Regular/Inter_400Regular.ttf"),
  medium: fontFile("600SemiBold/Inter_600SemiBold.ttf"),
} as const;

export const COLORS = {
  text: "#1b2430",
  dimmed: "#5b6673",
  line: "#d7dce2",
  surface: "#f3f5f7",
  brand: "#0f5e66",
  critical: "#b3261e",
  high: "#c2571a",
  medium: "#8a6d00",
  low: "#2e7d4f",
} as const;

const MARGIN = 54;
const FOOTER = 36;

export interface Column {
  header: string;
  /** The share of the width. */
  width: number;
  align?: "left" | "right";
}

export interface Bar {
  label: string;
  /** 0 to 100; null for a bar without a value. */
  value: number | null;
  color: string;
}

interface Entry {
  title: string;
  page: number;
}

type Structure = PDFKit.PDFStructureElement;

const ROWS_AT_ONCE = 10;

/** Characters of a cell; breaking a longer word into lines takes minutes. */
const [KEPT_BEGIN, KEPT_END] = [100, 60];

/** Names of hosts have any length and any characters. */
function cellText(text: string): string {
  const isLong = text.length > KEPT_BEGIN + KEPT_END;
  const kept = isLong ? `${text.slice(0, KEPT_BEGIN)}…${text.slice(-KEPT_END)}` : text;
  return kept.toWellFormed().replaceAll(/[\p{C}\s]+/gu, " ");
}

export class ReportDocument {
  readonly #pdf: PDFKit.PDFDocument;
  readonly #root: Structure;
  readonly #contents: Entry[] = [];
  readonly #bytes: Promise<Buffer>;
  readonly #title: string;

  constructor(title: string, author: string, createdAt: Date) {
    this.#title = title;
    this.#pdf = new Pdf({
      size: "A4",
      margins: { top: MARGIN, left: MARGIN, right: MARGIN, bottom: MARGIN + FOOTER / 2 },
      bufferPages: true,
      tagged: true,
      lang: "en",
      displayTitle: true,
      pdfVersion: "1.7",
      info: { Title: title, Author: author, Creator: "Strongroom", Producer: "Strongroom", CreationDate: createdAt },
    });
    for (const [name, file] of Object.entries(FONTS)) this.#pdf.registerFont(name, file);
    this.#pdf.font("regular").fillColor(COLORS.text);
    const chunks: Buffer[] = [];
    this.#pdf.on("data", (chunk: Buffer) => chunks.push(chunk));
    this.#bytes = new Promise((done) => this.#pdf.on("end", () => done(Buffer.concat(chunks))));
    this.#root = this.#pdf.struct("Document");
    this.#pdf.addStructure(this.#root);
  }

  get #width(): number {
    return this.#pdf.page.width - 2 * MARGIN;
  }

  get #bottom(): number {
    return this.#pdf.page.height - this.#pdf.page.margins.bottom;
  }

  #add(type: string, draw: () => void, options: { alt?: string } = {}, parent = this.#root): void {
    const element = this.#pdf.struct(type, options, draw);
    parent.add(element);
    element.end();
  }

  #decorate(draw: () => void): void {
    this.#pdf.markContent("Artifact", { type: "Layout" });
    draw();
    this.#pdf.endMarkedContent();
  }

  /** Starts a new page unless this much room is left. */
  #ensure(height: number): void {
    if (this.#pdf.y + height > this.#bottom) this.#pdf.addPage();
  }

  cover(subtitle: string, facts: readonly (readonly [name: string, value: string])[]): void {
    const pdf = this.#pdf;
    this.#decorate(() => pdf.rect(0, 0, pdf.page.width, 250).fill(COLORS.brand));
    this.#add("P", () => {
      pdf.font("medium").fontSize(12).fillColor("#ffffff").text("Strongroom", MARGIN, 70);
    });
    this.#add("H1", () => {
      pdf.font("medium").fontSize(32).fillColor("#ffffff").text(this.#title, MARGIN, 120, { width: this.#width });
    });
    this.#add("P", () => {
      pdf.font("regular").fontSize(13).fillColor("#e3eef0").text(subtitle, MARGIN, 175, { width: this.#width });
    });
    pdf.y = 300;
    for (const [name, value] of facts) {
      this.#add("P", () => {
        pdf.font("medium").fontSize(10).fillColor(COLORS.dimmed).text(name, MARGIN, pdf.y, { width: this.#width });
        pdf.font("regular").fontSize(12).fillColor(COLORS.text).text(value, { width: this.#width });
      });
      pdf.moveDown(0.6);
    }
    // The contents fill the second page at the end.
    pdf.addPage();
    pdf.addPage();
  }

  /** Starts a section on a new page. */
  section(title: string, options: { onNewPage?: boolean } = {}): void {
    const pdf = this.#pdf;
    const { start, count } = pdf.bufferedPageRange();
    if (options.onNewPage !== false && pdf.y > MARGIN + 1) pdf.addPage();
    else this.#ensure(90);
    const { start: first, count: pages } = pdf.bufferedPageRange();
    this.#contents.push({ title, page: Math.max(start + count, first + pages) });
    pdf.outline.addItem(title);
    this.#add("H2", () => {
      pdf.font("medium").fontSize(18).fillColor(COLORS.brand).text(title, MARGIN, pdf.y, { width: this.#width });
    });
    pdf.moveDown(0.5);
  }

  heading(text: string): void {
    this.#ensure(70);
    this.#pdf.moveDown(0.5);
    this.#add("H3", () => {
      const options = { width: this.#width };
      this.#pdf.font("medium").fontSize(12.5).fillColor(COLORS.text).text(text, MARGIN, this.#pdf.y, options);
    });
    this.#pdf.moveDown(0.3);
  }

  paragraph(text: string, color: string = COLORS.text): void {
    this.#ensure(30);
    this.#add("P", () => {
      const options = { width: this.#width, lineGap: 2 };
      this.#pdf.font("regular").fontSize(10).fillColor(color).text(text, MARGIN, this.#pdf.y, options);
    });
    this.#pdf.moveDown(0.5);
  }

  /** A large figure with a label on its right. */
  figure(value: string, label: string, color: string): void {
    const pdf = this.#pdf;
    this.#ensure(80);
    const top = pdf.y;
    this.#add("P", () => {
      pdf.font("medium").fontSize(44).fillColor(color).text(value, MARGIN, top, { width: 130 });
      pdf.font("regular").fontSize(11).fillColor(COLORS.text);
      pdf.text(label, MARGIN + 140, top + 10, { width: this.#width - 140, lineGap: 2 });
    });
    pdf.y = Math.max(pdf.y, top + 62);
  }

  /** Horizontal bars with their values, as one figure whose alternative text lists them. */
  bars(bars: readonly Bar[]): void {
    const pdf = this.#pdf;
    const step = 24;
    const alt = bars.map(({ label, value }) => `${label}: ${value ?? "not assessed"}`).join("; ");
    this.#ensure(bars.length * step + 10);
    const top = pdf.y;
    const [left, width] = [MARGIN + 190, this.#width - 240];
    this.#add(
      "Figure",
      () => {
        for (const [index, { label, value, color }] of bars.entries()) {
          const y = top + index * step;
          pdf.font("regular").fontSize(9.5).fillColor(COLORS.text);
          pdf.text(label, MARGIN, y + 3, { width: 182, height: 12, ellipsis: true, lineBreak: false });
          pdf.roundedRect(left, y + 2, width, 13, 3).fill(COLORS.surface);
          if (value !== null && value > 0)
            pdf.roundedRect(left, y + 2, Math.max(4, (width * value) / 100), 13, 3).fill(color);
          pdf
            .font("medium")
            .fontSize(9.5)
            .fillColor(value === null ? COLORS.dimmed : COLORS.text);
          pdf.text(value === null ? "–" : String(value), left + width + 8, y + 3, { width: 42, lineBreak: false });
        }
      },
      { alt },
    );
    pdf.x = MARGIN;
    pdf.y = top + bars.length * step + 8;
  }

  /** A line of values over days, 0 to 100. */
  line(points: readonly { date: string; score: number }[]): void {
    const pdf = this.#pdf;
    const height = 130;
    this.#ensure(height + 40);
    const top = pdf.y + 8;
    const [left, width] = [MARGIN + 26, this.#width - 40];
    const at = (index: number, score: number): [number, number] => [
      left + (points.length === 1 ? width / 2 : (width * index) / (points.length - 1)),
      top + height - (height * score) / 100,
    ];
    const alt = points.map(({ date, score }) => `${date}: ${score}`).join("; ");
    this.#add(
      "Figure",
      () => {
        for (const mark of [0, 50, 100]) {
          const y = top + height - (height * mark) / 100;
          pdf
            .moveTo(left, y)
            .lineTo(left + width, y)
            .lineWidth(0.5)
            .stroke(COLORS.line);
          pdf
            .font("regular")
            .fontSize(8)
            .fillColor(COLORS.dimmed)
            .text(String(mark), MARGIN, y - 5, { width: 20 });
        }
        for (const [index, { score }] of points.entries()) {
          const [x, y] = at(index, score);
          if (index > 0)
            pdf
              .moveTo(...at(index - 1, points[index - 1]!.score))
              .lineTo(x, y)
              .lineWidth(1.5)
              .stroke(COLORS.brand);
          pdf.circle(x, y, 2.5).fill(COLORS.brand);
        }
        pdf.font("regular").fontSize(8).fillColor(COLORS.dimmed);
        pdf.text(points[0]!.date, left, top + height + 6, { width: 80, lineBreak: false });
        if (points.length > 1)
          pdf.text(points.at(-1)!.date, left + width - 80, top + height + 6, { width: 80, align: "right" });
      },
      { alt },
    );
    pdf.x = MARGIN;
    pdf.y = top + height + 26;
  }

  /** Repeats the header on each page. A row never breaks across pages. Other work of the process runs between rows. */
  async table(columns: readonly Column[], rows: readonly (readonly string[])[]): Promise<void> {
    const table = this.#pdf.struct("Table");
    this.#root.add(table);
    const header = columns.map((column) => column.header);
    this.#ensure(60);
    this.#row(table, columns, header, true);
    for (const [index, texts] of rows.entries()) {
      if (index % ROWS_AT_ONCE === 0) await setImmediate();
      const row = texts.map(cellText);
      if (this.#pdf.y + this.#heightOf(columns, row) > this.#bottom) {
        this.#pdf.addPage();
        this.#row(table, columns, header, true);
      }
      this.#row(table, columns, row, false);
    }
    table.end();
    this.#pdf.x = MARGIN;
    this.#pdf.moveDown(0.8);
  }

  #heightOf(columns: readonly Column[], cells: readonly string[]): number {
    const pdf = this.#pdf.font("regular").fontSize(9);
    const heights = columns.map(({ width }, index) =>
      Math.min(MOST_ROW, pdf.heightOfString(cells[index] ?? "", { width: width * this.#width - 10 })),
    );
    return Math.max(...heights) + 9;
  }

  #row(table: Structure, columns: readonly Column[], cells: readonly string[], isHeader: boolean): void {
    const pdf = this.#pdf;
    const top = pdf.y;
    const height = this.#heightOf(columns, cells);
    this.#decorate(() => {
      if (isHeader) pdf.rect(MARGIN, top, this.#width, height).fill(COLORS.surface);
      else
        pdf
          .moveTo(MARGIN, top)
          .lineTo(MARGIN + this.#width, top)
          .lineWidth(0.5)
          .stroke(COLORS.line);
    });
    const row = pdf.struct("TR");
    table.add(row);
    let left = MARGIN;
    for (const [index, { width, align = "left" }] of columns.entries()) {
      const x = left + 5;
      const options = { width: width * this.#width - 10, height: height - 6, align, ellipsis: true };
      this.#add(
        isHeader ? "TH" : "TD",
        () => {
          pdf
            .font(isHeader ? "medium" : "regular")
            .fontSize(9)
            .fillColor(COLORS.text);
          pdf.text(cells[index] ?? "", x, top + 4.5, options);
        },
        {},
        row,
      );
      left += width * this.#width;
    }
    row.end();
    pdf.y = top + height;
  }

  /** Writes the contents and the page numbers. Call it once, at the end. */
  async finish(): Promise<Buffer> {
    const pdf = this.#pdf;
    this.#writeContents();
    const { start, count } = pdf.bufferedPageRange();
    for (let page = start + 1; page < start + count; page++) {
      pdf.switchToPage(page);
      // Text below the bottom margin would otherwise start a new page.
      pdf.page.margins.bottom = 0;
      this.#decorate(() => {
        const y = pdf.page.height - FOOTER;
        pdf.font("regular").fontSize(8).fillColor(COLORS.dimmed);
        pdf.text(this.#title, MARGIN, y, { width: this.#width / 2, lineBreak: false });
        const of = `Page ${page - start + 1} of ${count}`;
        pdf.text(of, MARGIN + this.#width / 2, y, { width: this.#width / 2, align: "right", lineBreak: false });
      });
    }
    this.#root.end();
    pdf.end();
    return this.#bytes;
  }

  #writeContents(): void {
    const pdf = this.#pdf;
    pdf.switchToPage(1);
    pdf.y = MARGIN;
    this.#add("H2", () => {
      pdf.font("medium").fontSize(18).fillColor(COLORS.brand).text("Contents", MARGIN, MARGIN, { width: this.#width });
    });
    pdf.moveDown(0.8);
    const contents = pdf.struct("TOC");
    this.#root.add(contents);
    for (const { title, page } of this.#contents) {
      const y = pdf.y;
      this.#add(
        "TOCI",
        () => {
          pdf.font("regular").fontSize(11).fillColor(COLORS.text);
          pdf.text(title, MARGIN, y, { width: this.#width - 50 });
          pdf.text(String(page), MARGIN + this.#width - 40, y, { width: 40, align: "right" });
        },
        {},
        contents,
      );
      pdf.y = y + 22;
    }
    contents.end();
  }
}

/** Longer text in a cell is cut off with an ellipsis. */
const MOST_ROW = 110;
