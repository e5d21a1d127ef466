# SPDX-License-Identifier: Apache-2.0
# Of each async_fifo (set SCOPED_TO_REF async_fifo): its positions cross in Gray code, so all bits of one have to arrive
# within a clock of the side that they leave, and its words are not read before they have settled. Never run through a
# vendor's tool.
set in_clock [get_clocks -of_objects [get_ports in_clk]]
set out_clock [get_clocks -of_objects [get_ports out_clk]]
set in_period [get_property PERIOD $in_clock]
set out_period [get_property PERIOD $out_clock]
set_max_delay -datapath_only -from [get_cells written_gray_reg[*]] -to [get_cells written_crossing_reg[*]] $in_period
set_max_delay -datapath_only -from [get_cells taken_gray_reg[*]] -to [get_cells taken_crossing_reg[*]] $out_period
set_bus_skew -from [get_cells written_gray_reg[*]] -to [get_cells written_crossing_reg[*]] $in_period
set_bus_skew -from [get_cells taken_gray_reg[*]] -to [get_cells taken_crossing_reg[*]] $out_period
set_max_delay -datapath_only -from $in_clock -to $out_clock $out_period
