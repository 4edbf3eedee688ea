"""Reading PDF files: text in reading order, with the page of every part (SRC-3).

Belongs here: everything between a file's bytes and markdown. pypdf reads what a file says about itself, PDFium what its
pages draw; the modules here make text of it. `pdf_file` opens a file, `page_forms` refuses what PDFium would never
finish, `page_text` and `page_graphics` read a page, `underscores` and `fonts` say what some of it means; `text_lines`
makes lines, `reading_order` and `tables` put them in order, `headers_footers` and `printed_contents` drop those of
paper, `code_lines`, `paragraphs`, `headings` and `paragraph_labels` make blocks, `pdf_markdown` makes markdown;
`scans` passes images to OCR, and `parser` calls them all. Not here: OCR itself (`headwater.parsing.ocr`), other
formats. Guarantee: the work is bounded by the file's size and by limits in these modules; a page that cannot be read
does not lose the others.
"""
