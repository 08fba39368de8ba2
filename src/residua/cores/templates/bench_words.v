  // Words go through registers: one look at the status, and what it asks for or offers.
  reg operand_written = 1'b0, random_written = 1'b0, result_read = 1'b0;

  assign operand_taken = operand_written;
  assign random_taken = random_written;
  assign result_taken = result_read;
  assign result_word = word;
  assign result_is_last = 1'b1;

  task advance;
    begin
      read(STATUS);
      if (word[RESULT_VALID]) begin
        read(RESULT);
        result_read = 1'b1;
        @(negedge clk) result_read = 1'b0;
        word[BUSY] = 1'b1;  // as it was, for all that is known
      end else if (word[OPERAND_READY] && operand_valid) begin
        write(OPERAND, operand_word);
        operand_written = 1'b1;
        @(negedge clk) operand_written = 1'b0;
        word[BUSY] = 1'b1;
{% if random %}
      end else if (word[BUSY] && word[RANDOM_READY]) begin
        write(RANDOM, random_word);
        random_written = 1'b1;
        @(negedge clk) random_written = 1'b0;
        word[BUSY] = 1'b1;
{% endif %}
      end
    end
  endtask

{% if several %}
  task end_operation;
    begin
      while (result_count < MOST_RESULTS) advance;
      spent = cycles - began;
      take_status;
      advance;  // takes a word too many, if there is one
    end
  endtask
{% else %}
  task end_operation;
    begin
      word[BUSY] = 1'b1;
      while (word[BUSY]) begin
        advance;
        if (!irq) spent = cycles - began;
      end
      take_status;
      if (status == 8'd{{ status_ok }}) while (result_count < result_words) advance;
      advance;  // takes a word too many, if there is one
    end
  endtask
{% endif %}
